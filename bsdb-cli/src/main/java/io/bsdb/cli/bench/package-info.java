/** Measures tables. */
@NullMarked
package io.bsdb.cli.bench;

import org.jspecify.annotations.NullMarked;
