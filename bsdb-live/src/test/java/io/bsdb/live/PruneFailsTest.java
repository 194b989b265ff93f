package io.bsdb.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.live.log.LogDirectory;
import io.bsdb.testkit.FaultyStorage;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A publication, or the deletion of old versions after it, that fails at close. */
class PruneFailsTest {
  private static final byte[] KEY = {1};

  @TempDir Path directory;

  private final AtomicBoolean fails = new AtomicBoolean();

  private final AtomicBoolean interrupted = new AtomicBoolean();

  private void before(String operation, String name) throws IOException {
    if (interrupted.get()) {
      throw new ClosedByInterruptException();
    }
    if (fails.get() && operation.equals("delete")) {
      throw new IOException("Operation not permitted: " + name);
    }
  }

  private WritableTable open() throws IOException {
    return LiveTable.open(
        directory,
        WritableOptions.defaults(),
        new LiveTable.Place(
            LogDirectory::new,
            root -> CrashingTable.of(root, this::before),
            1 << 16,
            LiveTable.PUBLISHED_SEGMENTS));
  }

  @Test
  void changesArePublishedAllTheSameAndCloseSaysWhatFailed() throws Exception {
    try (SnapshotWriter writer =
        SnapshotWriter.create(directory, WriterOptions.builder().partitions(1).build())) {
      for (int i = 0; i < 20; i++) {
        writer.add(new byte[] {(byte) i}, new byte[1 << 20]); // more than old versions may take
      }
      writer.publish();
    }
    WritableTable table = open();
    table.put(KEY, new byte[] {1});
    fails.set(true);
    table.compact();
    // old versions are deleted in the background
    Watchdog.await(() -> table.stats().upkeep().failure() != null);
    assertThat(table.stats().upkeep().failure()).hasMessageContaining("Operation not permitted");
    table.put(KEY, new byte[] {2});
    long publications = table.stats().upkeep().publications();
    table.publish();
    assertThat(table.stats().upkeep().publications()).isEqualTo(publications + 1);
    table.put(KEY, new byte[] {3});
    assertThatThrownBy(table::close)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(
            "its changes are published, but files of old versions could not be deleted")
        .hasMessageContaining("Operation not permitted");
    fails.set(false);
    try (WritableTable again = open()) {
      assertThat(again.get(KEY)).isEqualTo(new byte[] {3});
      assertThat(again.stats().memory().logKeys()).as("nothing is replayed").isZero();
    }
  }

  /** At each of many publications that would take longer than to publish. */
  @Test
  void aPublicationDoesNotReadAllOldVersions() throws Exception {
    try (WritableTable table = open()) {
      table.put(KEY, new byte[] {0});
      table.publish();
    }
    Set<String> threads = ConcurrentHashMap.newKeySet();
    LiveTable.Place place =
        new LiveTable.Place(
            LogDirectory::new,
            root ->
                new FaultyStorage(
                    CrashingTable.of(root, this::before),
                    (operation, name) -> {
                      if (!operation.equals("lock")) { // which comes before the lock is held
                        threads.add(Thread.currentThread().getName());
                      }
                    }),
            1 << 16,
            LiveTable.PUBLISHED_SEGMENTS);
    try (WritableTable table = LiveTable.open(directory, WritableOptions.defaults(), place)) {
      Watchdog.await(() -> threads.contains("bsdb-prune")); // at the open, under the table's lock
      table.put(KEY, new byte[] {1});
      table.publish(); // so after that
      threads.clear();
      for (int i = 0; i < 3; i++) {
        table.put(KEY, new byte[] {2});
        table.publish();
        Thread.sleep(100); // would be enough for another thread
      }
      assertThat(threads).isNotEmpty().doesNotContain("bsdb-prune");
    }
  }

  @Test
  void aCloseThatWasInterruptedSaysSo() throws IOException {
    WritableTable table = open();
    table.put(KEY, new byte[] {1});
    interrupted.set(true);
    assertThatThrownBy(table::close)
        .hasMessageContaining("its changes are durable in its log")
        .hasMessageContaining(
            "ClosedByInterruptException; the next open replays what is not published");
    interrupted.set(false);
    try (WritableTable again = open()) {
      assertThat(again.get(KEY)).isEqualTo(new byte[] {1});
    }
  }
}
