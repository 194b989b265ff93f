/** Flink and Kafka in this process, and SQL scripts that run there. */
@NullMarked
package io.bsdb.examples.cluster;

import org.jspecify.annotations.NullMarked;
