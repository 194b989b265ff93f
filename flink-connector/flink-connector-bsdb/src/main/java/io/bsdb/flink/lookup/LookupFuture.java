package io.bsdb.flink.lookup;

import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one asynchronous lookup.
 *
 * <p>With the retry hint, Flink takes the null that comes with an exception for a lookup that found
 * nothing, so that a LEFT JOIN emits NULLs for a row that could not be read. Flink listens with
 * {@link #whenCompleteAsync(BiConsumer)} only then; so what it gets there, instead of null, is a
 * collection that is not empty and that nobody can read.
 *
 * <p>Without that hint, listeners of a table run one at a time: functions that a query calls on the
 * rows found are shared by all lookups of a task, and may have a state. With it they would wait for
 * retries, which Flink has a listener wait for.
 */
final class LookupFuture extends CompletableFuture<Collection<RowData>> {
  private final Object listening;

  /**
   * @param listening held while a listener runs
   */
  LookupFuture(Object listening) {
    this.listening = listening;
  }

  @Override
  public CompletableFuture<Collection<RowData>> whenComplete(
      BiConsumer<? super @Nullable Collection<RowData>, ? super @Nullable Throwable> action) {
    return super.whenComplete(
        (rows, failure) -> {
          synchronized (listening) {
            action.accept(rows, failure);
          }
        });
  }

  @Override
  public CompletableFuture<Collection<RowData>> whenCompleteAsync(
      BiConsumer<? super @Nullable Collection<RowData>, ? super @Nullable Throwable> action) {
    return super.whenCompleteAsync(
        (rows, failure) ->
            action.accept(failure == null ? rows : new UnreadableRows(failure), failure));
  }

  private static final class UnreadableRows extends AbstractCollection<RowData> {
    private final Throwable cause;

    UnreadableRows(Throwable cause) {
      this.cause = cause;
    }

    @Override
    public boolean isEmpty() {
      return false;
    }

    @Override
    public int size() {
      throw failure();
    }

    @Override
    public Iterator<RowData> iterator() {
      throw failure();
    }

    private TableException failure() {
      return new TableException("the rows of a lookup could not be read: " + cause, cause);
    }
  }
}
