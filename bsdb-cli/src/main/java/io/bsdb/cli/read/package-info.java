/** Reads tables. */
@NullMarked
package io.bsdb.cli.read;

import org.jspecify.annotations.NullMarked;
