/** Snapshot lookups in Kafka Streams. */
@NullMarked
package io.bsdb.kstreams;

import org.jspecify.annotations.NullMarked;
