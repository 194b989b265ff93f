package io.bsdb.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DamagedLogTest {
  private static final int SEGMENT_LENGTH = 1 << 16;

  @TempDir Path directory;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private WritableTable open(Durability durability) throws IOException {
    return LiveTable.open(
        directory,
        WritableOptions.defaults().withDurability(durability),
        new LiveTable.Place(
            LogDirectory::new,
            place -> Table.at(place).storage(),
            SEGMENT_LENGTH,
            LiveTable.PUBLISHED_SEGMENTS));
  }

  /** After a clean close every byte of what was acknowledged is told from a torn end. */
  @Test
  void noticesEveryFlippedByteOfTheLog() throws IOException {
    try (WritableTable table = open(Durability.COMMIT)) {
      table.put(bytes("a"), bytes("1"));
      table.put(bytes("b"), bytes("22"));
      table.delete(bytes("a"));
    }
    Path file = directory.resolve("log/0000000001.log");
    byte[] log = Files.readAllBytes(file);
    int end = log.length;
    while (log[end - 1] == 0) {
      end--;
    }
    int mark = ((end + 7) & -8) - 32;
    for (int i = 0; i < end; i++) {
      byte[] damaged = log.clone();
      damaged[i] ^= (byte) (1 << i % 8);
      Files.write(file, damaged);
      if (i < mark) {
        assertThatThrownBy(() -> open(Durability.COMMIT))
            .as("byte %d", i)
            .isInstanceOf(IOException.class)
            .hasMessageContaining("0000000001.log");
      } else {
        try (WritableTable table = open(Durability.COMMIT)) {
          assertThat(table.get(bytes("a"))).isNull();
          assertThat(table.get(bytes("b"))).isEqualTo(bytes("22"));
        }
        for (String name : new LogDirectory(directory.resolve("log")).list()) {
          if (name.endsWith(".log") && !name.startsWith("0000000001")) {
            Files.delete(directory.resolve("log").resolve(name));
          }
        }
      }
    }
  }

  private void writeSomeSegments() throws IOException {
    try (WritableTable table = open(Durability.OS)) {
      for (int i = 0; i < 20; i++) {
        table.put(bytes("key" + i), new byte[10_000]);
      }
    }
  }

  @Test
  void noticesAFlippedByteOfAValueInASegmentThatIsContinued() throws IOException {
    writeSomeSegments();
    Path first = directory.resolve("log/0000000001.log");
    byte[] log = Files.readAllBytes(first);
    log[5_000] ^= 1;
    Files.write(first, log);
    assertThatThrownBy(() -> open(Durability.OS))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("frame checksum mismatch: file=" + first);
  }

  @Test
  void refusesAMissingSegmentAndADamagedOwner() throws IOException {
    writeSomeSegments();
    Path second = directory.resolve("log/0000000002.log");
    byte[] content = Files.readAllBytes(second);
    Files.delete(second);
    assertThatThrownBy(() -> open(Durability.OS))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("missing");
    Files.write(second, content);
    Files.writeString(directory.resolve("log/OWNER"), "bsdb");
    assertThatThrownBy(() -> open(Durability.OS))
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining("OWNER");
  }
}
