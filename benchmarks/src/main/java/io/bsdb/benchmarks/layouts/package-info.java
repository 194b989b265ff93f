/** The layouts of a table beside each other, for different data. */
@NullMarked
package io.bsdb.benchmarks.layouts;

import org.jspecify.annotations.NullMarked;
