/** The lookup of Kafka Streams beside a {@code GlobalKTable}, in one topology. */
@NullMarked
package io.bsdb.benchmarks.kstreams;

import org.jspecify.annotations.NullMarked;
