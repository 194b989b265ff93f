package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.io.Thrown;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.testkit.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Lookups that share the load of a block with a lookup of another kind, or of another thread. */
@ExtendWith(NothingLeftOpen.class)
@Timeout(120)
class SharedLoadsTest {
  private static final ReaderOptions OPTIONS =
      ReaderOptions.builder().access(Access.DIRECT).blockCacheBytes(1 << 20).queueDepth(1).build();

  @TempDir Path directory;
  private final Gate gate = new Gate();
  private FaultyTable table;

  @BeforeEach
  void holdReads() throws Exception {
    table = new FaultyTable(directory);
    table.fault =
        (position, length) -> {
          gate.pass();
          return length;
        };
  }

  /** A record in another block than record 0. */
  private int elsewhere() throws Exception {
    int other = 1;
    while (table.block(other) == table.block(0)) {
      other++;
    }
    return other;
  }

  /** Has a thread read the block of record 0, and returns when it is at it. */
  private Thread load(SnapshotReader reader, CompletableFuture<Throwable> failure)
      throws InterruptedException {
    Thread loader = new Thread(() -> failure.complete(table.failure(reader, 0)), "test-loader");
    loader.start();
    gate.awaitFirst();
    return loader;
  }

  private static void awaitShared(SnapshotReader reader, int lookups) {
    Await.until(() -> reader.metrics().cacheHits() >= lookups);
  }

  @Test
  void aCallbackMayLookUpWhatIsStillQueuedBehindIt() throws Exception {
    int other = elsewhere();
    try (SnapshotReader reader = table.open(OPTIONS);
        gate) {
      AsyncSnapshotReader futures = reader.async();
      CompletableFuture<Throwable> second =
          futures.get(table.key(0)).thenApply(value -> table.failure(reader, other));
      CompletableFuture<byte[]> queued = futures.get(table.key(other));
      gate.open();
      assertThat(second.join()).isNull();
      assertThat(table.failure(queued, other)).isNull();
    }
  }

  @Test
  void aCallbackMayLookUpAndCloseTheReaderWhoeverRunsIt() throws Exception {
    int other = elsewhere();
    try (SnapshotReader reader = table.open(OPTIONS);
        gate) {
      CompletableFuture<Throwable> failure = new CompletableFuture<>();
      Thread loader = load(reader, failure);
      CompletableFuture<Thread> closer =
          reader
              .async()
              .get(table.key(0))
              .thenApply(
                  value -> {
                    try {
                      assertThat(table.failure(reader, other)).isNull();
                      reader.close();
                    } catch (Exception e) {
                      throw new AssertionError(e);
                    }
                    return Thread.currentThread();
                  });
      awaitShared(reader, 1);
      gate.open();
      assertThat(closer.join()).isSameAs(loader);
      assertThat(failure.join()).isNull();
      assertThatThrownBy(() -> reader.get(table.key(0))).isInstanceOf(ClosedReaderException.class);
    }
  }

  /** Has a lookup's load fail, and looks up again before the cache has heard of it. */
  private void lookUpAgainInTheCallbackOf(Throwable fault) throws Exception {
    FaultyReads.Fault healthy = (position, length) -> length;
    try (SnapshotReader reader = table.open(OPTIONS);
        gate) {
      table.fault =
          (position, length) -> {
            gate.pass();
            throw Thrown.asIs(fault);
          };
      CompletableFuture<Throwable> again =
          reader
              .async()
              .get(table.key(0))
              .handle(
                  (value, failure) -> {
                    assertThat(failure).isNotNull();
                    table.fault = healthy;
                    return table.failure(reader, 0);
                  });
      gate.open();
      assertThat(again.join()).isNull();
    }
  }

  @Test
  void aCallbackOfALookupThatFailedMayLookUpAgain() throws Exception {
    lookUpAgainInTheCallbackOf(new IOException("broken"));
  }

  @Test
  void aCallbackOfALookupThatFailedWithoutMemoryMayLookUpAgain() throws Exception {
    lookUpAgainInTheCallbackOf(new NoMemory());
  }

  /** Says nothing, as there is no memory for words. */
  @SuppressWarnings("OverrideThrowableToString") // it is what the failure's message is made of
  private static final class NoMemory extends OutOfMemoryError {
    private static final long serialVersionUID = 1L;

    @Override
    public String toString() {
      throw new NoMemory();
    }
  }

  @Test
  void aLoadThatFailsWhereTheHeapIsFullIsWaitedForByNobody() throws Exception {
    gate.open();
    FaultyReads.Fault healthy = table.fault;
    try (SnapshotReader reader = table.open(OPTIONS)) {
      table.fault =
          (position, length) -> {
            throw new NoMemory();
          };
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> reader.get(table.key(0))).isInstanceOf(OutOfMemoryError.class);
        assertThatThrownBy(() -> reader.async().get(table.key(0)).join())
            .hasCauseInstanceOf(OutOfMemoryError.class);
      }
      table.fault = healthy;
      assertThat(table.failure(reader, 0)).isNull();
    }
  }

  @Test
  void anInterruptionFailsNoLookup() throws Exception {
    try (SnapshotReader reader = table.open(OPTIONS);
        gate) {
      CompletableFuture<Throwable> interrupted = new CompletableFuture<>();
      Thread loader = load(reader, interrupted);
      CompletableFuture<Throwable> waiting = new CompletableFuture<>();
      new Thread(() -> waiting.complete(table.failure(reader, 0)), "test-waiter").start();
      CompletableFuture<byte[]> asynchronous = reader.async().get(table.key(0));
      awaitShared(reader, 2);
      loader.interrupt();
      gate.open();
      assertThat(interrupted.join()).isNull();
      assertThat(waiting.join()).isNull();
      assertThat(table.failure(asynchronous, 0)).isNull();
    }
  }
}
