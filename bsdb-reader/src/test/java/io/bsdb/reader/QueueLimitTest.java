package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.testkit.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** More lookups than there is room for. */
@ExtendWith(NothingLeftOpen.class)
@Timeout(120)
class QueueLimitTest {
  private static final int WAITING_PER_DEPTH = 8;

  @TempDir Path directory;
  private FaultyTable table;

  @BeforeEach
  void publish() throws Exception {
    table = new FaultyTable(directory);
  }

  private static ReaderOptions options(Access access, int depth) {
    return ReaderOptions.builder().access(access).queueDepth(depth).build();
  }

  /** Asks for all keys, and waits for no answer. */
  private List<CompletableFuture<byte[]>> askAll(AsyncSnapshotReader reader) {
    List<CompletableFuture<byte[]>> futures = new ArrayList<>();
    for (byte[] key : table.data.keys()) {
      futures.add(reader.get(key));
    }
    return futures;
  }

  private void assertAllRight(List<CompletableFuture<byte[]>> futures) {
    assertThat(futures).hasSize(table.data.count());
    for (int i = 0; i < futures.size(); i++) {
      assertThat(table.failure(futures.get(i), i)).isNull();
    }
  }

  @Test
  void whoeverAsksForMoreWaitsUntilThereIsRoom() throws Exception {
    int depth = 2;
    Gate gate = new Gate();
    table.fault =
        (position, length) -> {
          gate.pass();
          return length;
        };
    try (SnapshotReader reader = table.open(options(Access.DIRECT, depth));
        gate) {
      AsyncSnapshotReader async = reader.async();
      CompletableFuture<List<CompletableFuture<byte[]>>> asked = new CompletableFuture<>();
      Thread asking = new Thread(() -> asked.complete(askAll(async)), "test-asking");
      asking.start();
      long room = (long) WAITING_PER_DEPTH * depth;
      Await.until(
          () ->
              !asking.isAlive()
                  || (asking.getState() == Thread.State.WAITING
                      && reader.metrics().readsInFlight() >= room));
      assertThat(reader.metrics().readsInFlight()).isEqualTo(room);
      gate.open();
      assertAllRight(asked.join());
      asking.join();
    }
  }

  @Test
  void aRingNeverHasMoreThanItsShareUnderWay() throws Exception {
    int depth = 2;
    AtomicLong most = new AtomicLong();
    try (SnapshotReader reader = table.open(options(Access.IO_URING, depth))) {
      List<CompletableFuture<List<CompletableFuture<byte[]>>>> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        CompletableFuture<List<CompletableFuture<byte[]>>> asked = new CompletableFuture<>();
        all.add(asked);
        new Thread(
                () -> {
                  List<CompletableFuture<byte[]>> futures = new ArrayList<>();
                  for (byte[] key : table.data.keys()) {
                    futures.add(reader.async().get(key));
                    most.accumulateAndGet(reader.metrics().readsInFlight(), Math::max);
                  }
                  asked.complete(futures);
                },
                "test-asking-" + i)
            .start();
      }
      for (CompletableFuture<List<CompletableFuture<byte[]>>> asked : all) {
        assertAllRight(asked.join());
      }
      assertThat(reader.metrics().lookups()).isEqualTo(4L * table.data.count());
    }
    assertThat(most.get()).isBetween(1L, (long) WAITING_PER_DEPTH * depth);
  }

  /** What completes reads must not wait for room that only it can make. */
  @ParameterizedTest
  @EnumSource(names = {"DIRECT", "IO_URING"})
  void whoeverAsksWhenALookupCompletesNeverWaits(Access access) throws Exception {
    try (SnapshotReader reader = table.open(options(access, 1))) {
      AsyncSnapshotReader async = reader.async();
      ConcurrentLinkedQueue<List<CompletableFuture<byte[]>>> asked = new ConcurrentLinkedQueue<>();
      List<CompletableFuture<Void>> chains = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        chains.add(async.get(table.key(i)).thenAccept(value -> asked.add(askAll(async))));
      }
      chains.forEach(CompletableFuture::join);
      assertThat(asked).hasSize(10).allSatisfy(this::assertAllRight);
    }
  }

  /** What completes the reads of one must not wait for room that only the other can make. */
  @Test
  void twoReadersThatAskEachOtherNeverWait(@TempDir Path other) throws Exception {
    FaultyTable second = new FaultyTable(other);
    try (SnapshotReader reader = table.open(options(Access.DIRECT, 1));
        SnapshotReader otherReader = second.open(options(Access.DIRECT, 1));
        Gate gate = new Gate()) {
      for (FaultyTable each : List.of(table, second)) {
        each.fault =
            (position, length) -> {
              gate.pass();
              return length;
            };
      }
      List<FutureTask<List<CompletableFuture<byte[]>>>> asking =
          List.of(askBoth(reader, otherReader), askBoth(otherReader, reader));
      Await.until(
          () ->
              reader.metrics().readsInFlight() >= WAITING_PER_DEPTH
                  && otherReader.metrics().readsInFlight() >= WAITING_PER_DEPTH);
      gate.open();
      for (FutureTask<List<CompletableFuture<byte[]>>> asked : asking) {
        assertAllRight(asked.get(60, TimeUnit.SECONDS));
      }
    }
  }

  /** Asks one for all keys and, where it answers, the other. */
  private FutureTask<List<CompletableFuture<byte[]>>> askBoth(
      SnapshotReader first, SnapshotReader then) {
    FutureTask<List<CompletableFuture<byte[]>>> asked =
        new FutureTask<>(
            () ->
                table.data.keys().stream()
                    .map(key -> first.async().get(key).thenCompose(value -> then.async().get(key)))
                    .toList());
    new Thread(asked, "test-asking").start();
    return asked;
  }
}
