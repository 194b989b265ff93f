package io.bsdb.flink.lookup;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * Looks up in a table with futures, from version to version. Safe for many threads: with the retry
 * hint, lookups come from others than the task's.
 */
final class AsyncTableLookup implements Closeable {
  private final String name;
  private final FollowedTable table;
  private final LookupMetrics metrics;
  private final InFlight inFlight = new InFlight();

  /** Makes the job fail, whatever Flink makes of the future that failed. */
  private volatile @Nullable Throwable failure;

  /**
   * Takes over the table.
   *
   * @param name of the table, for messages
   */
  AsyncTableLookup(String name, FollowedTable table, LookupMetrics metrics) {
    this.name = name;
    this.table = table;
    this.metrics = metrics;
  }

  /**
   * Returns the rows with these values.
   *
   * @throws TableException if an earlier lookup failed
   */
  CompletableFuture<Collection<RowData>> lookup(RowData compared) {
    Throwable earlier = failure;
    if (earlier != null) {
      throw new TableException("a lookup in table %s failed".formatted(name), earlier);
    }
    LookupFuture future = new LookupFuture();
    VersionLookup version;
    CompletableFuture<List<RowData>> read = null;
    synchronized (this) { // a reader waits for the reads that have begun before it closes
      version = table.current();
      byte[] key = version.key(compared);
      if (key != null) {
        read = version.begin(key);
        inFlight.begin();
      }
    }
    if (read == null) {
      complete(future, List.of());
    } else {
      answer(version, compared, read, future);
    }
    return future;
  }

  private void answer(
      VersionLookup version,
      RowData compared,
      CompletableFuture<List<RowData>> read,
      LookupFuture future) {
    var unused =
        read.whenComplete(
            (found, cause) -> {
              try {
                if (cause != null) {
                  throw cause instanceof CompletionException wrapped && wrapped.getCause() != null
                      ? wrapped.getCause()
                      : cause;
                }
                complete(future, version.matching(compared, found));
              } catch (Throwable e) {
                failure = e;
                future.completeExceptionally(e);
              } finally {
                inFlight.end();
              }
            });
  }

  private void complete(LookupFuture future, List<RowData> found) {
    metrics.count(found);
    future.complete(found);
  }

  /** Waits for the lookups in flight. */
  @Override
  public synchronized void close() throws IOException {
    inFlight.awaitEnd();
    table.close();
  }
}
