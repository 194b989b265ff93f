package io.bsdb.live;

import static io.bsdb.testkit.Utf8.bytes;
import static io.bsdb.testkit.Utf8.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.format.ValueReader;
import io.bsdb.format.io.IORunnable;
import io.bsdb.reader.RecordCursor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values that a writable table lends: of its log, of segments of a version, of its base. */
class LentChangesTest {
  private static final ValueReader<String> TEXT =
      (key, bytes, offset, length) -> key + text(bytes.copy(offset, length));

  @TempDir Path parent;
  private Path directory;

  @BeforeEach
  void name() {
    directory = parent.resolve("table");
  }

  @Test
  void lendsTheNewestValueWhereverItLies() throws IOException {
    try (WritableTable table = WritableTable.open(directory)) {
      for (String key : List.of("base", "segment", "log", "deleted")) {
        table.put(bytes(key), bytes("of base"));
      }
      table.compact();
      table.put(bytes("segment"), bytes("of segment"));
      table.delete(bytes("deleted"));
      table.publish();
      table.put(bytes("log"), bytes("of log"));
      assertThat(table.get(bytes("base"), TEXT)).isEqualTo("0of base");
      assertThat(table.get(bytes("segment"), TEXT)).isEqualTo("0of segment");
      assertThat(table.get(bytes("log"), TEXT)).isEqualTo("0of log");
      assertThat(table.get(bytes("deleted"), TEXT)).isNull();
      List<byte[]> keys =
          List.of(bytes("log"), bytes("deleted"), bytes("base"), bytes("segment"), bytes("log"));
      assertThat(table.getAll(keys, TEXT))
          .isEqualTo(Arrays.asList("0of log", null, "2of base", "3of segment", "4of log"));
    }
  }

  @Test
  void aCursorIsNotClosedWhileItLends() throws IOException {
    try (WritableTable table = WritableTable.open(directory)) {
      table.put(bytes("a"), bytes("1"));
      RecordCursor cursor = table.cursor();
      assertThat(cursor.next()).isTrue();
      ValueReader<String> closing =
          (key, bytes, offset, length) -> {
            cursor.close();
            return TEXT.read(key, bytes, offset, length);
          };
      assertThatThrownBy(() -> cursor.value(closing))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("must not close the cursor");
      assertThat(cursor.value(TEXT)).isEqualTo("01");
      cursor.close();
    }
  }

  @Test
  void aReaderMayReadAndWriteButNotWaitForItself() throws IOException {
    try (WritableTable table = WritableTable.open(directory)) {
      table.put(bytes("a"), bytes("1"));
      String nested =
          table.get(
              bytes("a"),
              (key, bytes, offset, length) -> {
                table.put(bytes("a"), bytes("2"));
                return table.get(bytes("a"), TEXT) + TEXT.read(key, bytes, offset, length);
              });
      assertThat(nested).isEqualTo("0201");
      IORunnable copies = () -> table.checkpoint(directory.resolveSibling("copy"));
      for (IORunnable waits :
          List.<IORunnable>of(table::publish, table::compact, copies, table::close)) {
        ValueReader<Object> reader =
            (key, bytes, offset, length) -> {
              waits.run();
              return key;
            };
        assertThatThrownBy(() -> table.get(bytes("a"), reader))
            .isInstanceOf(IllegalStateException.class)
            .hasMessage(
                "a ValueReader must not wait for what waits for its lookup: table %s; do this after the lookup"
                    .formatted(directory));
      }
      IOException thrown = new IOException("by the reader");
      ValueReader<Object> throwing =
          (key, bytes, offset, length) -> {
            throw thrown;
          };
      assertThatThrownBy(() -> table.get(bytes("a"), throwing)).isSameAs(thrown);
      assertThatThrownBy(() -> table.getAll(List.of(bytes("a")), throwing)).isSameAs(thrown);
      table.publish();
      assertThatThrownBy(() -> table.get(bytes("a"), throwing)).isSameAs(thrown);
      assertThat(table.get(bytes("a"))).isEqualTo(bytes("2"));
    }
  }
}
