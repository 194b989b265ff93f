/** Benchmarks of bsdb and its peers. */
@NullMarked
package io.bsdb.benchmarks;

import org.jspecify.annotations.NullMarked;
