package io.bsdb.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.live.log.LogDirectory;
import io.bsdb.reader.RecordCursor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A log whose changes cannot be published. It may have as many files as one index can tell apart:
 * with more, an index of all of them would take keys for others.
 */
class FullLogTest {
  private static final byte[] KEY = "key".getBytes(UTF_8);
  private static final int SEGMENT_LENGTH = 2048;
  private static final int VALUE_LENGTH = 1500;

  @TempDir Path directory;

  private final AtomicBoolean fails = new AtomicBoolean();

  private void before(String operation, String name) throws IOException {
    if (fails.get() && operation.equals("replace")) {
      throw new IOException("Operation not permitted: " + name);
    }
  }

  private WritableTable open() throws IOException {
    return LiveTable.open(
        directory,
        WritableOptions.defaults().withDurability(Durability.OS),
        new LiveTable.Place(
            LogDirectory::new,
            root -> CrashingTable.of(root, this::before),
            SEGMENT_LENGTH,
            LiveTable.Place.WHEN_ASKED));
  }

  private static byte[] value(int number) {
    byte[] value = new byte[VALUE_LENGTH];
    value[0] = (byte) number;
    value[1] = (byte) (number >> 8);
    return value;
  }

  private static void assertLast(WritableTable table, int number) throws IOException {
    assertThat(table.get(KEY)).isEqualTo(value(number));
    try (RecordCursor cursor = table.cursor()) {
      assertThat(cursor.next()).isTrue();
      assertThat(cursor.value()).isEqualTo(value(number));
      assertThat(cursor.next()).isFalse();
    }
  }

  @Test
  void isReadAndOpenedAgainAndPublishedOnceThatIsPossible() throws IOException {
    int last = 0;
    try (WritableTable table = open()) {
      table.put(KEY, value(0));
      fails.set(true);
      assertThatThrownBy(table::publish).hasMessageContaining("Operation not permitted");
      try {
        while (true) {
          table.put(KEY, value(last + 1));
          last++;
        }
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("the log is full").hasMessageContaining("=4095;");
      }
      assertLast(table, last);
      fails.set(false);
      table.publish();
      table.put(KEY, value(last));
      assertLast(table, last);
    }
    try (WritableTable table = open()) {
      assertLast(table, last);
    }
  }
}
