package io.bsdb.flink.lookup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.table.api.TableException;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Test;

class LookupFutureTest {
  private final LookupFuture future = new LookupFuture(this);
  private final AtomicReference<Collection<RowData>> heard = new AtomicReference<>();

  /** As Flink listens with the retry hint: it looks at the rows only. */
  private CompletableFuture<?> listen() {
    return future.whenCompleteAsync((rows, failure) -> heard.set(rows));
  }

  @Test
  void aFailureIsNeitherAMissNorARow() {
    CompletableFuture<?> told = listen();
    IOException cause = new IOException("cannot be read");

    future.completeExceptionally(cause);

    assertThatThrownBy(told::join).hasCause(cause);
    Collection<RowData> rows = heard.get();
    assertThat(rows.isEmpty()).as("which would be retried, and then be a row of NULLs").isFalse();
    assertThatThrownBy(rows::iterator)
        .isInstanceOf(TableException.class)
        .hasMessageContaining("the rows of a lookup could not be read")
        .hasCause(cause);
    assertThatThrownBy(rows::size).isInstanceOf(TableException.class).hasCause(cause);
  }

  @Test
  void anAnswerIsHeardAsItIs() {
    CompletableFuture<?> told = listen();
    List<RowData> rows = List.of(GenericRowData.of(1));

    future.complete(rows);

    told.join();
    assertThat(heard.get()).isSameAs(rows);
  }
}
