package io.bsdb.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.live.log.LogDirectory;
import io.bsdb.live.log.LogStorage;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Bursts of changes that need one file of the log after the other, while the log is marked as often
 * as it can be: nobody may wait for a thread that waits for him. A watchdog prints all threads.
 */
@Tag("optimized")
class NoHangTest {
  private static final Duration MARK_EVERY = Duration.ofNanos(20_000);
  private static final long SECONDS = 60;

  @TempDir Path directory;

  @AutoClose private final Watchdog watchdog = new Watchdog(SECONDS);

  private WritableTable open(int round, int segmentLength) throws IOException {
    return open(round, segmentLength, LogDirectory::new);
  }

  private WritableTable open(
      int round, int segmentLength, java.util.function.Function<Path, LogStorage> log)
      throws IOException {
    return LiveTable.open(
        directory.resolve("table" + round),
        WritableOptions.defaults().withDurability(Durability.OS),
        new LiveTable.Place(
            log,
            root -> Table.at(root).storage(),
            segmentLength,
            LiveTable.PUBLISHED_SEGMENTS,
            MARK_EVERY));
  }

  private static byte[] key(long i) {
    return ("key" + i).getBytes(StandardCharsets.UTF_8);
  }

  private void batches(int rounds, int batches, int records, int valueLength) throws Exception {
    watchdog.run(
        List.of(
            () -> {
              for (int round = 0; round < rounds; round++) {
                try (WritableTable table = open(round, 1 << 20)) {
                  for (int i = 0; i < batches; i++) {
                    WriteBatch batch = new WriteBatch();
                    for (int record = 0; record < records; record++) {
                      batch.put(key((long) i * records + record), new byte[valueLength]);
                    }
                    table.write(batch);
                  }
                  assertThat(table.get(key(1))).hasSize(valueLength);
                }
              }
              return null;
            }));
  }

  @Test
  void batchesOfAThousandRecords() throws Exception {
    batches(2, 20, 1_000, 1_100);
  }

  @Test
  void listsOfTwoThousandRecords() throws Exception {
    batches(2, 10, 2_000, 1_000);
  }

  private void writers(int rounds, int count, int puts, int valueLength) throws Exception {
    for (int round = 0; round < rounds; round++) {
      WritableTable table = open(round, 4 << 20); // if something hangs, close would hang, too
      List<Callable<Void>> tasks = new ArrayList<>();
      for (int thread = 0; thread < count; thread++) {
        int writer = thread;
        tasks.add(
            () -> {
              for (int i = 0; i < puts; i++) {
                table.put(key(writer), new byte[valueLength]);
              }
              return null;
            });
      }
      watchdog.run(tasks);
      watchdog.run(
          List.of(
              () -> {
                table.publish();
                table.close();
                return null;
              }));
    }
  }

  @Test
  void threeWritersOfLargeValues() throws Exception {
    writers(3, 3, 5, 2 << 20);
  }

  @Test
  void eightWritersOfMediumValues() throws Exception {
    writers(3, 8, 10, 200 << 10);
  }

  /** The failure stays, else writers would wait for a publication that never comes. */
  @Test
  void aLogThatFailsWhileItIsPublished() throws Exception {
    WritableTable table =
        LiveTable.open(
            directory,
            WritableOptions.defaults().withDurability(Durability.OS),
            new LiveTable.Place(
                log ->
                    CrashingStorage.of(
                        log,
                        (operation, name) -> {
                          if (operation.equals("force") && name.equals("0000000002.log")) {
                            throw new IOException("Input/output error");
                          }
                        }),
                root -> Table.at(root).storage(),
                1 << 16,
                1,
                Duration.ofDays(1)));
    for (int i = 0; table.stats().upkeep().failure() == null; i++) {
      try {
        table.put(key(i), new byte[10_000]);
      } catch (IOException e) {
        assertThat(e).hasStackTraceContaining("Input/output error");
      }
    }
    Watchdog.await(
        () -> {
          Throwable failure = table.stats().upkeep().failure();
          return failure != null
              && String.valueOf(failure.getMessage()).contains("takes no more changes");
        });
    watchdog.run(
        List.of(
            () -> {
              assertThatThrownBy(() -> table.put(key(0), new byte[1]))
                  .isInstanceOf(IOException.class)
                  .hasStackTraceContaining("Input/output error");
              assertThatThrownBy(table::close).hasMessageContaining("its log failed");
              return null;
            }));
  }

  @Test
  void aFullDiskWithOneWriterThatTriesAgain() throws Exception {
    AtomicBoolean full = new AtomicBoolean();
    WritableTable table =
        open(
            0,
            1 << 16,
            log ->
                CrashingStorage.of(
                    log,
                    (operation, name) -> {
                      if (full.get() && operation.equals("create")) {
                        throw new IOException("No space left on device");
                      }
                    }));
    full.set(true);
    watchdog.run(
        List.of(
            () -> {
              int refusals = 0;
              for (long i = 0; refusals < 2_000; i++) {
                try {
                  table.put(key(i), new byte[1_000]);
                } catch (IOException e) {
                  assertThat(e).hasMessageContaining("No space left on device");
                  refusals++;
                }
              }
              full.set(false);
              table.put(key(-1), new byte[1]);
              table.close();
              return null;
            }));
  }
}
