package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowLayout;
import io.bsdb.row.RowView;
import io.bsdb.row.Schema;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Of rows that are encoded with symbol tables only the columns are decoded that will be read. */
class SelectedFieldsTest {
  private static final int ROWS = 500;
  private static final Schema SCHEMA =
      Schema.builder()
          .column("id", "BIGINT")
          .column("name", "STRING")
          .column("people", "BIGINT")
          .column("zone", "STRING")
          .primaryKey("id")
          .build();
  private static final RowCodec CODEC = RowCodec.of(SCHEMA);
  private static final RowLayout LAYOUT = RowLayout.ofValues(SCHEMA);
  private static final FieldSelection ZONE = LAYOUT.select(1, 2);

  @TempDir static Path directory;

  @BeforeAll
  static void build() throws Exception {
    WriterOptions options =
        WriterOptions.builder().schema(SCHEMA).layout(Layout.SYMBOLS).partitions(2).build();
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (long id = 0; id < ROWS; id++) {
        writer.add(key(id), CODEC.encodeValue(name(id), id, "Europe/Zurich"));
      }
      writer.publish();
    }
  }

  private static byte[] key(long id) {
    return CODEC.encodeKey(id);
  }

  private static String name(long id) {
    return "place number " + id;
  }

  private static void assertWithoutName(byte[] value, long id) {
    RowView row = new RowView(LAYOUT).wrap(value);
    assertThat(row.stringAt(0)).isEmpty();
    assertThat(row.longAt(1)).isEqualTo(id);
    assertThat(row.stringAt(2)).isEqualTo("Europe/Zurich");
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "DIRECT"})
  void lookupsDecodeWhatIsSelected(Access access) throws Exception {
    ReaderOptions options = ReaderOptions.builder().access(access).build();
    try (SnapshotReader all = SnapshotReader.open(directory, options)) {
      SnapshotReader selecting = all.selecting(ZONE);
      List<byte[]> keys = new ArrayList<>();
      for (long id = 0; id < ROWS; id++) {
        keys.add(key(id));
      }
      List<byte[]> values = selecting.getAll(keys);
      List<byte[]> futures = selecting.async().getAll(keys).join();
      for (int id = 0; id < ROWS; id++) {
        ByteBuffer target = ByteBuffer.allocate(100);
        int length = selecting.get(keys.get(id), target);
        assertWithoutName(selecting.get(keys.get(id)), id);
        assertWithoutName(Arrays.copyOf(target.array(), length), id);
        assertWithoutName(selecting.async().get(keys.get(id)).join(), id);
        assertWithoutName(values.get(id), id);
        assertWithoutName(futures.get(id), id);
        assertThat(CODEC.decode(keys.get(id), all.get(keys.get(id))).string("name"))
            .isEqualTo(name(id));
      }
    }
  }

  @Test
  void scansDecodeWhatIsSelected() throws Exception {
    try (SnapshotReader all = SnapshotReader.open(directory)) {
      int rows = 0;
      try (RecordCursor cursor = all.selecting(ZONE).scan()) {
        for (; cursor.next(); rows++) {
          long id = new RowView(LAYOUT).wrap(cursor.value()).longAt(1);
          assertThat(cursor.key()).isEqualTo(key(id));
          assertWithoutName(cursor.value(), id);
        }
      }
      for (int partition = 0; partition < all.partitionCount(); partition++) {
        try (RecordCursor cursor = all.selecting(ZONE).scan(partition)) {
          for (; cursor.next(); rows++) {
            long id = new RowView(LAYOUT).wrap(cursor.value()).longAt(1);
            assertWithoutName(cursor.value(), id);
          }
        }
      }
      assertThat(rows).isEqualTo(2 * ROWS);
    }
  }
}
