package io.bsdb.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Fills the disk while changes are written, published and folded. */
@Timeout(60)
class FullDiskTest {
  private static final int SEGMENT_LENGTH = 4096;
  private static final int KEYS = 100;
  private static final int VALUE_LENGTH = 200;

  @TempDir Path directory;

  private final AtomicBoolean full = new AtomicBoolean();

  private static byte[] key(int i) {
    return ("key" + i).getBytes(StandardCharsets.UTF_8);
  }

  /** Rejects operations that need new space: existing files of the log can still be written. */
  private void before(String operation, String name) throws IOException {
    boolean adds = name.endsWith(".new") || !name.endsWith(".log");
    if (full.get() && adds && !operation.equals("delete")) {
      throw new IOException("No space left on device");
    }
  }

  private WritableTable open(WritableOptions options) throws IOException {
    return LiveTable.open(
        directory,
        options,
        new LiveTable.Place(
            log -> CrashingStorage.of(log, this::before),
            root -> CrashingTable.of(root, this::before),
            SEGMENT_LENGTH,
            LiveTable.PUBLISHED_SEGMENTS));
  }

  private void build() throws IOException {
    try (SnapshotWriter writer =
        SnapshotWriter.create(directory, WriterOptions.builder().partitions(2).build())) {
      for (int i = 0; i < KEYS; i++) {
        writer.add(key(i), new byte[VALUE_LENGTH]);
      }
      writer.publish();
    }
  }

  @Test
  void changesGoOnWhileThereIsRoomThenFailCleanlyAndGoOnWithMore() throws IOException {
    build();
    int written = 0;
    int failed;
    try (WritableTable table = open(WritableOptions.defaults())) {
      table.put(key(0), new byte[] {1});
      full.set(true);
      assertThatThrownBy(table::publish)
          .isInstanceOf(IOException.class)
          .hasStackTraceContaining("No space left on device");
      IOException failure = null;
      while (failure == null) {
        try {
          table.put(key(written % KEYS), value(written));
          written++;
        } catch (IOException e) {
          failure = e;
        }
      }
      failed = written;
      assertThat(failure)
          .isNotInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("nothing was written")
          .hasMessageContaining("No space left on device");
      assertThat(written).isGreaterThan(SEGMENT_LENGTH / (2 * VALUE_LENGTH));
      for (int i = Math.max(0, written - KEYS); i < written; i++) {
        assertThat(table.get(key(i % KEYS))).isEqualTo(value(i));
      }
      full.set(false);
      table.publish();
      table.put(key(KEYS), value(1));
    }
    try (WritableTable again = open(WritableOptions.defaults())) {
      for (int i = Math.max(0, failed - KEYS); i < failed; i++) {
        assertThat(again.get(key(i % KEYS))).isEqualTo(value(i));
      }
      assertThat(again.get(key(KEYS))).isEqualTo(value(1));
    }
  }

  private static byte[] value(int i) {
    byte[] value = new byte[VALUE_LENGTH];
    value[0] = (byte) i;
    value[1] = (byte) (i >> 8);
    return value;
  }

  @Test
  void foldsAreTriedAgainUntilThereIsRoom() throws Exception {
    build();
    try (WritableTable table = open(WritableOptions.defaults().withMaxChangedKeys(KEYS / 2))) {
      table.pauseCompaction();
      for (int i = 0; i < KEYS / 2; i++) {
        table.put(key(i), value(i));
      }
      table.publish();
      full.set(true);
      table.resumeCompaction();
      assertThatThrownBy(table::compact).hasStackTraceContaining("No space left on device");
      assertThat(table.stats().upkeep().folds()).isZero();
      assertThat(table.stats().upkeep().load()).isGreaterThanOrEqualTo(1);
      Watchdog.await(() -> table.stats().upkeep().failure() != null);
      assertThat(table.stats().upkeep().failure())
          .hasStackTraceContaining("No space left on device");
      assertThat(table.get(key(1))).isEqualTo(value(1));
      full.set(false);
      // in the background, without any change
      Watchdog.await(() -> table.stats().memory().publishedKeys() == 0);
      assertThat(table.stats().upkeep().folds()).isEqualTo(2);
      Watchdog.await(
          () -> table.stats().upkeep().failure() == null && table.stats().upkeep().load() < 1);
      assertThat(table.get(key(1))).isEqualTo(value(1));
      table.put(key(1), value(7));
    }
    try (WritableTable again = open(WritableOptions.defaults())) {
      assertThat(again.get(key(1))).isEqualTo(value(7));
      assertThat(again.get(key(KEYS - 1))).isEqualTo(new byte[VALUE_LENGTH]);
    }
  }
}
