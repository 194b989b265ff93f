package io.bsdb.flink.lookup;

import io.bsdb.reader.AsyncSnapshotReader;
import io.bsdb.reader.metrics.ReaderMetrics;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One version of a table, held open until it is out of use and its last future has completed. Safe
 * for many threads, except for {@link #key}.
 */
final class AsyncVersionLookup {
  private static final Logger LOG = LoggerFactory.getLogger(AsyncVersionLookup.class);

  private final VersionLookup version;
  private final AsyncSnapshotReader reader;

  /** Lookups under way, and one for being in use. */
  private final AtomicInteger holders = new AtomicInteger(1);

  AsyncVersionLookup(VersionLookup version) {
    this.version = version;
    this.reader = version.reader().async();
  }

  ReaderMetrics metrics() {
    return reader.metrics();
  }

  boolean isCurrent() {
    return version.isCurrent();
  }

  /** Holds the version, which is in use, for one lookup. */
  void hold() {
    holders.getAndIncrement();
  }

  /** Ends a lookup, or the version's use. The last one closes the version. */
  void release() {
    if (holders.decrementAndGet() == 0) {
      try {
        version.close();
      } catch (IOException e) {
        LOG.error("A version that is not used any more could not be closed.", e);
      }
    }
  }

  byte @Nullable [] key(RowData compared) {
    return version.key(compared);
  }

  CompletableFuture<byte @Nullable []> read(byte[] key) {
    return reader.get(key);
  }

  @Nullable RowData row(RowData compared, byte[] key, byte @Nullable [] value) {
    return version.row(compared, key, value);
  }
}
