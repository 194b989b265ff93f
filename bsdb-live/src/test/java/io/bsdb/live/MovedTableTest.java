package io.bsdb.live;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.io.FileMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A table that is moved while a process has it open, and another one that takes its place. */
class MovedTableTest {
  private static final byte[] LARGE = new byte[1 << 20];

  @TempDir Path root;
  private Path directory;
  private Path moved;
  private Path other;

  private final long files = FileMemory.openCount();

  @AfterEach
  void closesAllFiles() {
    assertThat(FileMemory.openCount()).isEqualTo(files);
  }

  @BeforeEach
  void otherTable() throws IOException {
    directory = root.resolve("table");
    moved = root.resolve("moved");
    other = root.resolve("other");
    write(other, "other");
  }

  private static byte[] key(String name, int i) {
    return (name + i).getBytes(US_ASCII);
  }

  /** Leaves changes in the log, as a process that is killed does. */
  private static void write(Path table, String name) throws IOException {
    try (WritableTable open =
        LiveTable.open(
            table,
            WritableOptions.defaults(),
            Places.onDisk(1 << 22, LiveTable.Place.WHEN_ASKED))) {
      for (int i = 0; i < 4; i++) {
        open.put(key(name, i), LARGE);
      }
    }
  }

  private static void requireAll(Path table, String name) throws IOException {
    try (WritableTable open = WritableTable.open(table)) {
      for (int i = 0; i < 4; i++) {
        assertThat(open.get(key(name, i))).as(name + i).isEqualTo(LARGE);
      }
    }
  }

  @Test
  void changesNothingInTheTableThatTookItsPlace() throws IOException {
    WritableTable table = WritableTable.open(directory);
    table.put(key("own", 0), LARGE);
    Files.move(directory, moved);
    Files.move(other, directory);
    assertThatThrownBy(table::publish)
        .hasMessageContaining("the table was moved, deleted or replaced while it was open")
        .hasMessageContaining("log/OWNER")
        .hasMessageContaining("open it where it is now");
    int written = 1;
    try {
      while (written < 50) {
        table.put(key("own", written), LARGE);
        written++;
      }
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("no further segment of the log can be prepared");
    }
    assertThat(written).isLessThan(50);
    assertThatThrownBy(table::cursor).hasMessageContaining("the table was moved");
    assertThatThrownBy(table::compact).hasMessageContaining("the table was moved");
    assertThatThrownBy(table::close).hasMessageContaining("the table was moved");
    requireAll(directory, "other");
    try (WritableTable open = WritableTable.open(moved)) {
      for (int i = 0; i < written; i++) {
        assertThat(open.get(key("own", i))).isEqualTo(LARGE);
      }
    }
  }

  @Test
  void changesNothingInTheTableToWhichItsLinkPointsNow() throws IOException {
    Files.createDirectory(moved);
    Files.createSymbolicLink(directory, moved);
    WritableTable table = WritableTable.open(directory);
    table.put(key("own", 0), LARGE);
    Files.delete(directory);
    Files.createSymbolicLink(directory, other);
    assertThatThrownBy(table::publish).hasMessageContaining("the table was moved");
    assertThatThrownBy(table::close).hasMessageContaining("the table was moved");
    requireAll(directory, "other");
  }

  @Test
  void isNotMadeAgainWhereItWas() throws IOException {
    WritableTable table = WritableTable.open(directory);
    table.put(key("own", 0), LARGE);
    Files.move(directory, moved);
    assertThatThrownBy(table::publish).hasMessageContaining("the table was moved");
    assertThatThrownBy(table::close).hasMessageContaining("actual=none");
    assertThat(directory).doesNotExist();
    try (WritableTable open = WritableTable.open(moved)) {
      assertThat(open.get(key("own", 0))).isEqualTo(LARGE);
    }
  }
}
