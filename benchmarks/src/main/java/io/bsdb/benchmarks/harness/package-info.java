/** What all benchmarks share: the data set and its queries, processes, directories and results. */
@NullMarked
package io.bsdb.benchmarks.harness;

import org.jspecify.annotations.NullMarked;
