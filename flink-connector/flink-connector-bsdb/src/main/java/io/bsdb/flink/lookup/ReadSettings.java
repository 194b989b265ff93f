package io.bsdb.flink.lookup;

import io.bsdb.reader.Access;
import io.bsdb.reader.ReaderOptions;
import io.bsdb.reader.Verification;
import java.io.Serializable;
import java.time.Duration;

/**
 * How a table is read. What differs in any of this is read through another reader.
 *
 * @param access how blocks are reached
 * @param verification what is verified when a version is opened
 * @param refreshInterval how often to look for a new version; zero: never
 */
public record ReadSettings(Access access, Verification verification, Duration refreshInterval)
    implements Serializable {
  ReaderOptions readerOptions() {
    return ReaderOptions.builder().access(access).verification(verification).build();
  }
}
