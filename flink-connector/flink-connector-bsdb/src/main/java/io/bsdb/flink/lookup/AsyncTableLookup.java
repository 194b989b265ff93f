package io.bsdb.flink.lookup;

import io.bsdb.reader.ClosedReaderException;
import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Looks up in a table with futures, from version to version. Safe for many threads: with the retry
 * hint, lookups come from others than the task's.
 */
final class AsyncTableLookup implements SourceTimeWait.Lookups, Closeable {
  private final String name;
  private final FollowedTable table;
  private final LookupMetrics metrics;
  private final InFlight inFlight = new InFlight();
  private final Object listening = new Object();
  private final @Nullable SourceTimeWait wait;

  /** Copies rows with arrays or maps, for one thread at a time; null where rows have none. */
  private final @Nullable RowDataSerializer copier;

  private boolean closed;

  /** Makes the job fail, whatever Flink makes of the future that failed. */
  private volatile @Nullable Throwable failure;

  /**
   * Takes over the table.
   *
   * @param spec whose rows are looked up
   */
  AsyncTableLookup(LookupSpec spec, FollowedTable table, LookupMetrics metrics, MetricGroup group) {
    AsOfSettings asOf = spec.asOf();
    this.name = spec.table().name();
    this.table = table;
    this.metrics = metrics;
    this.wait = asOf.waits() ? new SourceTimeWait(name, asOf.maxWait(), group, this) : null;
    this.copier = spec.hasCollections() ? new RowDataSerializer(spec.rowType()) : null;
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
    LookupFuture future = new LookupFuture(listening);
    begin(compared, future, wait);
    return future;
  }

  /**
   * Begins to read.
   *
   * @param mayWait where the lookup waits for a newer version; null: it does not
   */
  private void begin(RowData compared, LookupFuture future, @Nullable SourceTimeWait mayWait) {
    VersionLookup version;
    CompletableFuture<List<RowData>> read = null;
    synchronized (this) {
      if (closed) {
        return; // forgotten, like what waits
      }
      version = table.current();
      if (mayWait != null) {
        long needed = version.neededTime(compared);
        if (needed > version.sourceTime()) {
          mayWait.add(compared, future, needed);
          return;
        }
      }
      byte[] key = version.key(compared);
      if (key != null) {
        read = table.has(key) ? version.begin(key) : elsewhere(compared, key);
        inFlight.begin();
      }
    }
    if (read == null) {
      complete(future, List.of());
    } else {
      answer(version, compared, read, future);
    }
  }

  private CompletableFuture<List<RowData>> elsewhere(RowData compared, byte[] key) {
    try {
      return CompletableFuture.completedFuture(table.lookupElsewhere(compared, key));
    } catch (IOException | RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public synchronized long sourceTime() {
    return closed ? VersionLookup.NO_TIME : table.current().sourceTime();
  }

  @Override
  public void resume(RowData compared, LookupFuture future) {
    try {
      begin(compared, future, null);
    } catch (Throwable e) {
      fail(future, e);
    }
  }

  @Override
  public void fail(LookupFuture future, Throwable cause) {
    failure = cause;
    future.completeExceptionally(cause);
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
              } catch (ClosedReaderException e) { // it waited when another version took its place
                resume(compared, future);
              } catch (Throwable e) {
                fail(future, e);
              } finally {
                inFlight.end();
              }
            });
  }

  private void complete(LookupFuture future, List<RowData> found) {
    metrics.count(found);
    future.complete(copier == null ? found : binary(copier, found));
  }

  /**
   * Returns copies in Flink's binary form. Wherever a query filters the table or computes of it,
   * Flink copies arrays and maps by serializers that all lookups of a task share, in the thread
   * that answers or in the task's. These serializers are safe for many threads only if arrays and
   * maps have this form.
   */
  private static List<RowData> binary(RowDataSerializer copier, List<RowData> rows) {
    synchronized (copier) {
      return rows.stream().<RowData>map(row -> copier.toBinaryRow(row).copy()).toList();
    }
  }

  /** Waits for the lookups in flight, and forgets those that wait for a version. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      closed = true;
      if (wait != null) {
        wait.close();
      }
    }
    inFlight.awaitEnd(); // outside of the lock, which lookups in flight may take to begin again
    table.close();
  }
}
