/** Serves tables. */
@NullMarked
package io.bsdb.cli.serve;

import org.jspecify.annotations.NullMarked;
