/** What a lookup join costs in a Flink job, end to end. */
@NullMarked
package io.bsdb.benchmarks.flink;

import org.jspecify.annotations.NullMarked;
