package io.bsdb.compact;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.NothingLeftOpen;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.Table;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import io.bsdb.writer.work.BuildMemory;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The memory in which partitions are built is that of all tables of a process. */
@ExtendWith(NothingLeftOpen.class)
@Timeout(60)
class SharedBuildMemoryTest {
  private static final byte[] KEY = "k".getBytes(UTF_8);
  private static final byte[] VALUE = "v".getBytes(UTF_8);

  @TempDir Path directory;

  /** All that there is: whoever has it is the only one. */
  private final BuildMemory.Share all = BuildMemory.ofProcess().share(1L << 60);

  private Compactor compactor;

  @BeforeEach
  void build() throws IOException {
    Records.empty().add(KEY, KEY).publish(directory, WriterOptions.builder().partitions(1).build());
    Records.empty().add(KEY, VALUE).change(Table.at(directory));
    compactor = new Compactor(directory).foldFraction(0);
  }

  private CompletableFuture<Integer> fold() {
    CompletableFuture<Integer> folded = new CompletableFuture<>();
    new Thread(
            () -> {
              try {
                folded.complete(compactor.run().foldedPartitions());
              } catch (IOException | RuntimeException | Error e) {
                folded.completeExceptionally(e);
              }
            },
            "test-fold")
        .start();
    return folded;
  }

  /** Returns when a thread waits in a class. */
  private static void awaitWaiting(Class<?> type, CompletableFuture<?> unlessDone) {
    Await.until(
        () -> {
          assertThat(unlessDone).isNotDone();
          return Thread.getAllStackTraces().entrySet().stream()
              .filter(entry -> entry.getKey().getState() == Thread.State.TIMED_WAITING)
              .flatMap(entry -> Arrays.stream(entry.getValue()))
              .anyMatch(frame -> frame.getClassName().startsWith(type.getName()));
        });
  }

  @Test
  void aFoldThatWaitsForOthersCanBeStopped() throws Exception {
    assertThat(all.acquire(() -> true)).isTrue();
    try {
      CompletableFuture<Integer> folded = fold();
      awaitWaiting(BuildMemory.class, folded);
      compactor.stop();
      assertThatThrownBy(folded::get)
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(InterruptedIOException.class);
    } finally {
      all.release();
    }
    assertThat(new Compactor(directory).foldFraction(0).run().foldedPartitions()).isEqualTo(1);
  }

  @Test
  void aPausedFoldLeavesTheMemoryToOthersAndFoldsLater() throws Exception {
    compactor.pause();
    CompletableFuture<Integer> folded = fold();
    awaitWaiting(Throttle.class, folded);
    assertThat(all.acquire(() -> !folded.isDone())).isTrue();
    try {
      assertThat(folded).isNotDone();
    } finally {
      all.release();
    }
    compactor.resume();
    assertThat(folded.get()).isEqualTo(1);
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      assertThat(reader.manifest().hasChanges()).isFalse();
      assertThat(reader.get(KEY)).isEqualTo(VALUE);
    }
  }
}
