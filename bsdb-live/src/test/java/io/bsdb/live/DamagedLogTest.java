package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.live.log.LogDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DamagedLogTest {
  private static final int SEGMENT_LENGTH = 1 << 16;

  @TempDir Path directory;

  /** Writes changes that stay in the log when the table is closed. */
  private void writeToTheLog(Durability durability, Writes writes) throws Exception {
    try (WritableTable table =
        LiveTable.open(
            directory,
            WritableOptions.defaults().withDurability(durability),
            Places.onDisk(SEGMENT_LENGTH, LiveTable.Place.WHEN_ASKED))) {
      writes.to(table);
    }
  }

  private interface Writes {
    void to(WritableTable table) throws Exception;
  }

  private WritableTable open(Durability durability) throws IOException {
    return LiveTable.open(
        directory,
        WritableOptions.defaults().withDurability(durability),
        Places.onDisk(SEGMENT_LENGTH, LiveTable.PUBLISHED_SEGMENTS));
  }

  /** After a clean close every byte of what was acknowledged is told from a torn end. */
  @Test
  void noticesEveryFlippedByteOfTheLog() throws Exception {
    writeToTheLog(
        Durability.COMMIT,
        table -> {
          table.put(bytes("a"), bytes("1"));
          table.put(bytes("b"), bytes("22"));
          table.delete(bytes("a"));
        });
    Path file = directory.resolve("log/0000000001.log");
    byte[] log = Files.readAllBytes(file);
    int end = end(log);
    for (int i = 0; i < end; i++) {
      byte[] damaged = log.clone();
      damaged[i] ^= (byte) (1 << i % 8);
      Files.write(file, damaged);
      assertThatThrownBy(() -> open(Durability.COMMIT))
          .as("byte %d", i)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("0000000001.log");
      assertThat(LogReport.read(directory).damage()).as("byte %d", i).contains("0000000001.log");
    }
  }

  private static int end(byte[] log) {
    int end = log.length;
    while (log[end - 1] == 0) {
      end--;
    }
    return end;
  }

  private void requireDamage(String what) throws IOException {
    assertThatThrownBy(() -> open(Durability.OS))
        .as(what)
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageContaining(directory.resolve("log").toString());
    assertThat(LogReport.read(directory).damage()).as(what).isNotNull();
  }

  /** A closed log that has lost its end is damaged, not torn; reopening does not hide it. */
  @Test
  void noticesEveryLossOfTheEndOfAClosedLog() throws Exception {
    for (Durability durability : Durability.values()) {
      writeToTheLog(
          durability,
          table -> {
            for (int i = 0; i < 20; i++) {
              table.put(bytes("key" + i), new byte[100]);
            }
          });
    }
    Path file = directory.resolve("log/0000000001.log");
    byte[] log = Files.readAllBytes(file);
    int end = end(log);
    // Every length near both ends; between them those of some frames are each of a frame's.
    for (int length = 0; length < end; length += length < 300 || length > end - 300 ? 1 : 7) {
      Files.write(file, Arrays.copyOf(log, length));
      requireDamage("cut to " + length);
    }
    for (int page = 0; page < end; page += 512) {
      byte[] zeroed = log.clone();
      Arrays.fill(zeroed, page, page + 512, (byte) 0);
      Files.write(file, zeroed);
      requireDamage("zeros from " + page);
      byte[] stale = log.clone();
      System.arraycopy(log, 0, stale, page, page == 0 ? 0 : 512);
      Files.write(file, stale);
      if (page > 0) {
        requireDamage("other bytes from " + page);
      }
    }
    Files.delete(file);
    requireDamage("deleted");
    Files.write(file, log);
    try (WritableTable table = open(Durability.OS)) {
      assertThat(table.get(bytes("key19"))).hasSize(100);
    }
  }

  @Test
  void aDamagedRecordOfTheEndIsNamed() throws Exception {
    writeSomeSegments();
    Path file = directory.resolve("log/END");
    byte[] content = Files.readAllBytes(file);
    for (int i = 0; i < content.length; i++) {
      byte[] damaged = content.clone();
      damaged[i] ^= 1;
      Files.write(file, damaged);
      assertThatThrownBy(() -> open(Durability.OS))
          .as("byte %d", i)
          .hasMessageContaining(file + " actual=");
    }
    Files.delete(file);
    open(Durability.OS).close();
  }

  @Test
  void aFileThatWasNeverWrittenToDoesNotMatter() throws Exception {
    writeSomeSegments();
    Path last = null;
    for (String name : new LogDirectory(directory.resolve("log")).list()) {
      last = name.endsWith(".log") ? directory.resolve("log").resolve(name) : last;
    }
    byte[] unused = Files.readAllBytes(last);
    assertThat(end(unused)).isLessThanOrEqualTo(64);
    WritableOptions options = WritableOptions.defaults().withDurability(Durability.OS);
    for (int i = 0; i < 64; i++) {
      byte[] damaged = unused.clone();
      damaged[i] ^= 1;
      Files.write(last, damaged);
      assertThat(LogReport.read(directory).damage()).as("byte %d", i).isNull();
      if (i % 8 == 0) {
        Path copy = directory.resolve("copy" + i);
        ModelFiles.copy(directory.resolve("log"), copy.resolve("log"));
        try (WritableTable table = WritableTable.open(copy, options)) {
          assertThat(table.get(bytes("key19"))).as("byte %d", i).hasSize(10_000);
        }
      }
    }
  }

  private void writeSomeSegments() throws Exception {
    writeToTheLog(
        Durability.OS,
        table -> {
          for (int i = 0; i < 20; i++) {
            table.put(bytes("key" + i), new byte[10_000]);
          }
          // The next file is prepared, which closing does not wait for unless it has begun.
          Path next =
              directory.resolve("log/%010d.log".formatted(table.stats().disk().logFiles() + 1));
          Watchdog.await(() -> Files.exists(next));
        });
  }

  @Test
  void noticesAFlippedByteOfAValueInASegmentThatIsContinued() throws Exception {
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
  void refusesAMissingSegmentAndADamagedOwner() throws Exception {
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
