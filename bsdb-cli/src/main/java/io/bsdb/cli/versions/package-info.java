/** Looks after the versions of tables. */
@NullMarked
package io.bsdb.cli.versions;

import org.jspecify.annotations.NullMarked;
