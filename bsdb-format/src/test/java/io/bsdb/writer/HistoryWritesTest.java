package io.bsdb.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Validity;
import io.bsdb.writer.options.Duplicates;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writers of tables with a history. */
class HistoryWritesTest {
  private static final Schema PRICES =
      Schema.builder()
          .column("item", "STRING")
          .column("price", "INT")
          .column("changed_at", "TIMESTAMP_LTZ(3)")
          .primaryKey("item", "changed_at")
          .keyEncoding(KeyEncoding.ORDERED)
          .build();

  private static final RowCodec CODEC = RowCodec.of(PRICES);
  private static final WriterOptions HISTORY =
      WriterOptions.builder().history(null).schema(PRICES).build();
  private static final WriterOptions WITHOUT =
      WriterOptions.builder().order(HISTORY.order()).schema(PRICES).build();

  @TempDir private Path directory;

  private static byte[] key(String item, long millis) {
    return CODEC.encodeKey(item, Instant.ofEpochMilli(millis));
  }

  private static Manifest build(SnapshotWriter writer, byte[] last) throws IOException {
    try (writer) {
      writer.add(key("bread", 1000), CODEC.encodeValue(1));
      writer.add(key("bread", 2000), last);
      return writer.publish();
    }
  }

  private Manifest build(WriterOptions options, byte[] last) throws IOException {
    return build(SnapshotWriter.create(directory, options), last);
  }

  private Table table() {
    return Table.at(directory);
  }

  @Test
  void everyVersionOfATableHasItsValidity() throws IOException {
    WriterOptions options =
        WriterOptions.builder().history(Duration.ofDays(36_500)).schema(PRICES).build();
    Manifest built = build(options, RowWriter.ended());
    Validity validity = Objects.requireNonNull(built.validity());
    assertThat(validity.retention()).isEqualTo(Duration.ofDays(36_500));
    assertThat(WriterOptions.like(built).validity()).isEqualTo(validity);

    try (DeltaWriter delta = DeltaWriter.create(table())) {
      delta.put(key("milk", 5), RowWriter.ended());
      assertThat(delta.publish().validity()).isEqualTo(validity);
    }
    Manifest moved = table().edit(inService -> inService.with(new Validity(null, Instant.EPOCH)));
    assertThat(moved.validity()).isEqualTo(new Validity(null, Instant.EPOCH));
    Manifest after =
        build(SnapshotWriter.createAsOf(built.version(), directory, HISTORY), CODEC.encodeValue(2));
    assertThat(after.validity()).isEqualTo(Validity.FOREVER);
    assertThat(after.hasChanges()).isTrue();
  }

  /** As streams and files have them that are read again. */
  @Test
  void rowsBeforeTheHorizonMayComeTwice() throws IOException {
    WriterOptions options =
        WriterOptions.builder()
            .history(Duration.ofDays(1))
            .schema(PRICES)
            .duplicates(Duplicates.LAST)
            .build();
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      writer.add(key("bread", 1000), CODEC.encodeValue(1));
      writer.add(key("milk", 1000), CODEC.encodeValue(1));
      writer.add(key("milk", 2000), CODEC.encodeValue(2));
      writer.add(key("milk", 2000), CODEC.encodeValue(3));
      assertThat(writer.publish().recordCount()).as("the newest row of each").isEqualTo(2);
    }
  }

  @Test
  void othersRefuseEndedRows() throws IOException {
    assertThatThrownBy(() -> build(WITHOUT, RowWriter.ended()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("an ended row needs a table with a history");
    build(WITHOUT, CODEC.encodeValue(2));
    try (DeltaWriter delta = DeltaWriter.create(table())) {
      assertThatThrownBy(() -> delta.put(key("bread", 5), RowWriter.ended()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("an ended row needs a table with a history");
    }
  }

  @Test
  void plainBytesHaveNoHeader() throws IOException {
    WriterOptions plain = WriterOptions.defaults();
    assertThat(build(plain, RowWriter.ended()).recordCount()).isEqualTo(2);
    try (DeltaWriter delta = DeltaWriter.create(table())) {
      delta.put(key("bread", 5), RowWriter.ended());
      assertThat(delta.publish().hasChanges()).isTrue();
    }
  }

  @Test
  void changesDoNotMoveBetweenTablesWithAndWithoutAHistory() throws IOException {
    String base = build(HISTORY, RowWriter.ended()).version();
    try (DeltaWriter delta = DeltaWriter.create(table());
        DeltaWriter late = DeltaWriter.create(table())) {
      delta.put(key("milk", 5), RowWriter.ended());
      delta.publish();
      assertThatThrownBy(
              () ->
                  build(SnapshotWriter.createAsOf(base, directory, WITHOUT), CODEC.encodeValue(2)))
          .isInstanceOf(PublishConflictException.class)
          .hasMessageContaining("only one of the two has a history");
      late.put(key("milk", 6), RowWriter.ended());
      build(WITHOUT, CODEC.encodeValue(2));
      assertThatThrownBy(late::publish)
          .isInstanceOf(PublishConflictException.class)
          .hasMessageStartingWith("the table was built without a history meanwhile");
    }
  }

  @Test
  void needASchema() {
    assertThatThrownBy(
            () -> SnapshotWriter.create(directory, WriterOptions.builder().history(null).build()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("its schema is none");
  }
}
