package io.bsdb.reader;

import static io.bsdb.testkit.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.compact.Compactor;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SectionKind;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.Verification;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowLayout;
import io.bsdb.row.RowView;
import io.bsdb.row.Schema;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.FileParts;
import io.bsdb.testkit.TablePieces;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tables of layout {@code symbols}: whatever records hold comes out byte for byte. */
class EncodedTableTest {
  private static final int ROWS = 600;
  private static final int LONGEST = 64 << 20;
  private static final Schema SCHEMA =
      Schema.builder()
          .column("id", "INT")
          .column("text", "STRING")
          .column("bytes", "BYTES")
          .column("equal", "STRING")
          .column("nothing", "STRING")
          .column("tags", "ARRAY<STRING>")
          .primaryKey("id")
          .build();
  private static final RowCodec CODEC = RowCodec.of(SCHEMA);
  private static final RowLayout LAYOUT = RowLayout.ofValues(SCHEMA);

  @TempDir private Path directory;
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final Map<String, byte[]> model = new LinkedHashMap<>();

  /** Keys as the map has them: any bytes as characters. */
  private static byte[] key(String key) {
    return key.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String name(byte[] key) {
    return new String(key, StandardCharsets.ISO_8859_1);
  }

  private byte[] noise(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private Manifest publish(Path table, WriterOptions options) throws IOException {
    try (SnapshotWriter writer = SnapshotWriter.create(table, options)) {
      for (Map.Entry<String, byte[]> record : model.entrySet()) {
        writer.add(key(record.getKey()), record.getValue());
      }
      return writer.publish();
    }
  }

  private Manifest publish(@Nullable Schema schema) throws IOException {
    WriterOptions.Builder options = WriterOptions.builder().layout(Layout.SYMBOLS).partitions(2);
    if (schema != null) {
      options.schema(schema);
    }
    return publish(directory, options.build());
  }

  private void assertFound(SnapshotReader reader) throws Exception {
    List<byte[]> keys = model.keySet().stream().map(EncodedTableTest::key).toList();
    List<byte[]> all = reader.getAll(keys);
    for (int i = 0; i < keys.size(); i++) {
      byte[] expected = model.get(name(keys.get(i)));
      byte[] single = reader.get(keys.get(i));
      boolean same = Arrays.equals(single, expected) && Arrays.equals(all.get(i), expected);
      assertThat(same).as("seed %d, key %s", seed, name(keys.get(i))).isTrue();
    }
    int scanned = 0;
    try (RecordCursor cursor = reader.scan()) {
      for (; cursor.next(); scanned++) {
        byte[] expected = model.get(name(cursor.key()));
        assertThat(Arrays.equals(cursor.value(), expected)).as("seed %d", seed).isTrue();
      }
    }
    assertThat(scanned).isEqualTo(model.size());
  }

  private void assertRead(Access access) throws Exception {
    ReaderOptions options =
        ReaderOptions.builder().access(access).verification(Verification.FULL).build();
    try (SnapshotReader reader = SnapshotReader.open(directory, options)) {
      assertFound(reader);
    }
  }

  /** Returns whether all partition files whose names end so have symbol tables. */
  private boolean haveTables(String end) throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("snapshots"))) {
      List<Path> named = files.filter(file -> file.toString().endsWith(end)).toList();
      for (Path file : named) {
        if (FileParts.of(file).footer().find(SectionKind.SYMBOLS) == null) {
          return false;
        }
      }
      return !named.isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "DIRECT"})
  void plainBytesOfAllKinds(Access access) throws Exception {
    for (int i = 0; i < ROWS; i++) {
      model.put("customer/" + i, bytes("customer number " + i + ", Zürich"));
      model.put(name(noise(8 + random.nextInt(40))), noise(random.nextInt(300)));
    }
    model.put("empty", new byte[0]);
    model.put("one byte", new byte[] {(byte) 0xFF});
    model.put("malformed", new byte[] {'c', 'u', 's', (byte) 0xC3, (byte) 0x28, (byte) 0xFE});
    model.put("zeros, as many as can be", new byte[LONGEST]);
    publish(null);
    assertThat(haveTables(".bsdb")).isTrue();
    assertRead(access);
  }

  private void addRow(int id, @Nullable String text, byte[] bytes, List<String> tags) {
    byte[] value = CODEC.encodeValue(text, bytes, "the same in all", null, tags);
    model.put(name(CODEC.encodeKey(id)), value);
  }

  private void addRows() {
    for (int i = 0; i < ROWS; i++) {
      addRow(
          i,
          i % 7 == 0 ? null : i % 5 == 0 ? "" : "place number " + i,
          i % 3 == 0 ? new byte[0] : noise(random.nextInt(300)),
          i % 4 == 0 ? List.of() : List.of("old", "town", "" + i));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "DIRECT"})
  void rowsOfAllKinds(Access access) throws Exception {
    addRows();
    addRow(ROWS, "place", new byte[4 << 20], List.of());
    addRow(ROWS + 1, "x".repeat(300_000), noise(300_000), List.of("y".repeat(70_000)));
    byte[] malformed = CODEC.encodeValue("place ??? x", null, "the same in all", null, null);
    for (int i = 0; i < malformed.length; i++) {
      malformed[i] = malformed[i] == '?' ? (byte) 0xC3 : malformed[i];
    }
    model.put(name(CODEC.encodeKey(ROWS + 2)), malformed);
    model.put(name(CODEC.encodeKey(ROWS + 3)), noise(50)); // no row at all
    model.put(name(CODEC.encodeKey(ROWS + 4)), new byte[0]);
    publish(SCHEMA);
    assertThat(haveTables(".bsdb")).isTrue();
    assertRead(access);
  }

  @Test
  void recordsThatNothingIsSavedOfTakeNoMoreThanBlocked() throws Exception {
    for (int i = 0; i < ROWS; i++) {
      model.put(name(noise(16)), noise(random.nextInt(200)));
    }
    long encoded = publish(null).length();
    Path blocked = Files.createDirectory(directory.resolve("blocked"));
    WriterOptions options = WriterOptions.builder().partitions(2).build();
    assertThat(encoded).as("seed %d", seed).isEqualTo(publish(blocked, options).length());
    assertThat(haveTables(".bsdb")).isFalse();
    assertRead(Access.MAPPED);
  }

  /** Rows changed over a base: those are whole, and the base's have the columns selected. */
  @Test
  void changesOverABaseAreFoldedAndFoundInLocalCopies() throws Exception {
    addRows();
    publish(SCHEMA);
    try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
      for (int i = 0; i < ROWS; i += 2) {
        addRow(i, "new place " + i, noise(30), List.of("new"));
        byte[] key = CODEC.encodeKey(i);
        writer.put(key, model.get(name(key)));
      }
      byte[] deleted = CODEC.encodeKey(1);
      writer.delete(deleted);
      model.remove(name(deleted));
      writer.publish();
    }
    assertRead(Access.MAPPED);
    assertSelected();
    new Compactor(directory).foldFraction(0.1).run();
    Table table = Table.at(directory);
    assertThat(table.manifest(table.requireCurrentVersion()).hasChanges()).isFalse();
    assertThat(haveTables("-fold.bsdb")).isTrue();
    assertRead(Access.MAPPED);
    assertSelected();
    Path copies = directory.resolve("copies");
    try (TableReader following = TableReader.builder(directory).localDirectory(copies).open();
        TableReader.Lease lease = following.lease()) {
      assertFound(lease.reader());
    }
  }

  private void assertSelected() throws Exception {
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      SnapshotReader selecting = reader.selecting(LAYOUT.select(0));
      RowView some = new RowView(LAYOUT);
      RowView all = new RowView(LAYOUT);
      for (Map.Entry<String, byte[]> record : model.entrySet()) {
        some.wrap(selecting.get(key(record.getKey())));
        all.wrap(record.getValue());
        assertThat(some.isNull(0)).isEqualTo(all.isNull(0));
        if (!all.isNull(0)) {
          assertThat(some.stringAt(0)).isEqualTo(all.stringAt(0));
        }
      }
    }
  }

  @Test
  void forgedRowsNameFileAndOffset() throws Exception {
    addRows();
    publish(directory, rows(1));
    TablePieces pieces = TablePieces.of(directory);
    byte[] content = pieces.content(0);
    content[content.length - 1] = (byte) 0xFF; // an escape without a byte after it
    pieces.content(0, content);
    pieces.write(directory);
    int refused = 0;
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      for (String key : model.keySet()) {
        try {
          assertThat(reader.get(key(key))).isEqualTo(model.get(key));
        } catch (CorruptSnapshotException e) {
          assertUndecodable(e);
          refused++;
        }
      }
      assertThatThrownBy(
              () -> reader.getAll(model.keySet().stream().map(EncodedTableTest::key).toList()))
          .satisfies(EncodedTableTest::assertUndecodable);
      assertThatThrownBy(
              () -> {
                try (RecordCursor cursor = reader.scan()) {
                  while (cursor.next()) {
                    cursor.value();
                  }
                }
              })
          .satisfies(EncodedTableTest::assertUndecodable);
    }
    assertThat(refused).as("seed %d", seed).isOne();
  }

  private static WriterOptions rows(int partitions) {
    return WriterOptions.builder()
        .layout(Layout.SYMBOLS)
        .schema(SCHEMA)
        .partitions(partitions)
        .build();
  }

  private static void assertUndecodable(Throwable e) {
    assertThat(e)
        .isInstanceOf(CorruptSnapshotException.class)
        .hasMessageMatching(
            "record cannot be decoded: file=.*part-00000\\.bsdb offset=4096 rank=\\d+: .*");
  }
}
