/** Parts that all benchmarks share: data set and queries, processes, directories and results. */
@NullMarked
package io.bsdb.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
