/** Cost of a lookup join in a Flink job, end to end. */
@NullMarked
package io.bsdb.benchmarks.flink;

import org.jspecify.annotations.NullMarked;
