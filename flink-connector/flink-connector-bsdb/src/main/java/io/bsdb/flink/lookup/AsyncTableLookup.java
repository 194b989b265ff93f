package io.bsdb.flink.lookup;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;
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
  private final LookupMetrics metrics =
      new LookupMetrics(new ThreadSafeSimpleCounter(), new ThreadSafeSimpleCounter());
  private final UnderWay underWay = new UnderWay();

  /** Changed by one thread at a time, read by that of the metrics too. */
  private volatile AsyncVersionLookup version;

  /** Makes the job fail, whatever Flink makes of the future that failed. */
  private volatile @Nullable Throwable failure;

  /**
   * Takes over the table.
   *
   * @param name of the table, for messages
   * @throws org.apache.flink.table.api.ValidationException if the DDL does not match it
   */
  AsyncTableLookup(String name, FollowedTable table) throws IOException {
    this.name = name;
    this.table = table;
    this.version = new AsyncVersionLookup(table.first());
  }

  void register(MetricGroup group) {
    metrics.register(group, table, () -> version.metrics());
  }

  /**
   * The rows with these values.
   *
   * @throws TableException if an earlier lookup failed
   */
  CompletableFuture<Collection<RowData>> lookup(RowData compared) {
    Throwable earlier = failure;
    if (earlier != null) {
      throw new TableException("a lookup in table %s failed".formatted(name), earlier);
    }
    LookupFuture future = new LookupFuture();
    AsyncVersionLookup held;
    byte[] key;
    synchronized (this) {
      if (!version.isCurrent()) {
        changeOver();
      }
      held = version;
      key = held.key(compared);
      if (key != null) {
        held.hold();
      }
    }
    if (key == null) {
      complete(future, null);
    } else {
      underWay.begin();
      read(held, compared, key, future);
    }
    return future;
  }

  private void read(AsyncVersionLookup held, RowData compared, byte[] key, LookupFuture future) {
    var unused =
        held.read(key)
            .whenComplete(
                (value, cause) -> {
                  try {
                    if (cause != null) {
                      throw cause;
                    }
                    complete(future, held.row(compared, key, value));
                  } catch (Throwable e) {
                    failure = e;
                    future.completeExceptionally(e);
                  } finally {
                    held.release();
                    underWay.end();
                  }
                });
  }

  private void complete(LookupFuture future, @Nullable RowData found) {
    metrics.count(found);
    future.complete(found == null ? List.of() : List.of(found));
  }

  private void changeOver() {
    VersionLookup next;
    try {
      next = table.successor();
    } catch (IOException e) {
      throw new TableException("table %s: the next version cannot be used".formatted(name), e);
    }
    if (next != null) {
      AsyncVersionLookup previous = version;
      version = new AsyncVersionLookup(next);
      previous.release();
    }
  }

  /** Waits for the lookups in flight. */
  @Override
  public synchronized void close() throws IOException {
    underWay.awaitEnd();
    version.release();
    table.close();
  }
}
