package io.bsdb.flink.lookup;

import io.bsdb.reader.Access;
import io.bsdb.reader.ReaderOptions;
import io.bsdb.reader.Verification;
import java.io.Serializable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a table is read. What differs in any of this is read through another reader.
 *
 * @param access how blocks are reached
 * @param verification what is verified when a version is opened
 * @param blockCacheBytes most that the block cache may hold
 * @param refreshInterval how often to look for a new version; zero: never
 * @param version to stay with; null for the one in service
 */
public record ReadSettings(
    Access access,
    Verification verification,
    long blockCacheBytes,
    Duration refreshInterval,
    @Nullable String version)
    implements Serializable {
  /** The same for one version. */
  public ReadSettings pinnedTo(String pinned) {
    return new ReadSettings(access, verification, blockCacheBytes, Duration.ZERO, pinned);
  }

  ReaderOptions readerOptions() {
    return ReaderOptions.builder()
        .access(access)
        .verification(verification)
        .blockCacheBytes(blockCacheBytes)
        .build();
  }
}
