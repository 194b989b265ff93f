package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.live.log.LogDirectory;
import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("optimized")
@Timeout(120)
class WritersBesideFoldsTest {
  private static final int MAX_CHANGED_KEYS = 1000;

  @TempDir Path directory;

  private final CountDownLatch written = new CountDownLatch(1);
  private final Set<String> folds = new HashSet<>();

  private TableStorage storage(Path path) {
    return CrashingTable.of(path, this::before);
  }

  /** Holds up the second step of the folds. */
  private void before(String operation, String name) throws IOException {
    if (operation.equals("create") && name.endsWith("-fold.bsdb") && isSecond(name)) {
      try {
        written.await();
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      }
    }
  }

  private synchronized boolean isSecond(String name) {
    folds.add(name.substring(0, name.lastIndexOf('/')));
    return folds.size() > 1;
  }

  /** Not only after the last one: with a large table that may be minutes later. */
  @Test
  void goOnOnceAStepHasMadeRoom() throws Exception {
    AtomicReference<Exception> failure = new AtomicReference<>();
    try (WritableTable table =
        LiveTable.open(
            directory,
            WritableOptions.defaults().withMaxChangedKeys(MAX_CHANGED_KEYS),
            new LiveTable.Place(
                LogDirectory::new, this::storage, 1 << 20, LiveTable.PUBLISHED_SEGMENTS))) {
      table.pauseCompaction();
      for (int i = 0; i < 2 * MAX_CHANGED_KEYS; i++) {
        table.put(bytes("key" + i), bytes("value" + i));
      }
      table.publish();
      assertThatThrownBy(() -> table.put(bytes("later"), bytes("value")))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("compaction is paused");
      table.resumeCompaction();
      Thread writer =
          new Thread(
              () -> {
                try {
                  table.put(bytes("later"), bytes("value"));
                } catch (IOException | RuntimeException e) {
                  failure.set(e);
                }
                written.countDown();
              },
              "test-writer");
      writer.start();
      boolean wentOn = written.await(60, TimeUnit.SECONDS);
      written.countDown();
      writer.join();
      assertThat(wentOn).as("the writer went on before the second step").isTrue();
      assertThat(failure.get()).isNull();
      assertThat(table.get(bytes("later"))).isEqualTo(bytes("value"));
    }
  }

  /**
   * Steps of folds and publications overlap, so that the few keys that are left are all in the few
   * partitions that are not folded.
   */
  @Test
  void goOnWhereFewKeysMayBeChanged() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed of the changes: " + seed);
    Random random = new Random(seed);
    try (WritableTable table =
            WritableTable.open(
                directory,
                WritableOptions.defaults().withDurability(Durability.OS).withMaxChangedKeys(3));
        Watchdog watchdog = new Watchdog(60)) {
      watchdog.run(
          List.of(
              () -> {
                for (int i = 0; i < 60; i++) {
                  table.put(bytes("key" + random.nextInt(40)), bytes("value" + i));
                  if (random.nextInt(3) == 0) {
                    table.publish();
                  }
                }
                return null;
              }));
    }
  }
}
