package io.bsdb.reader;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.BlockIndex;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.format.index.OrderIndex;
import io.bsdb.format.index.Positions;
import io.bsdb.format.index.RecordHeads;
import io.bsdb.format.segment.ChangeKind;
import io.bsdb.format.segment.FrameBuffer;
import io.bsdb.format.segment.LogSegment;
import io.bsdb.format.segment.SegmentWriter;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.format.symbols.RecordEncoder;
import io.bsdb.format.symbols.RecordSymbols;
import io.bsdb.format.symbols.ValueDecoder;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.RowCodec;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.writer.options.WriterOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads the examples of docs/FORMAT.md from the page itself, so that page and code agree. */
class FormatDocumentTest {
  private static final Pattern DUMP_LINE =
      Pattern.compile("([0-9a-f]{3}) {2}([0-9a-f]{2}(?: [0-9a-f]{2})*)(?: {2}.*)?");

  private static String page = "";

  @TempDir private Path directory;

  @BeforeAll
  static void readPage() throws IOException {
    page = Files.readString(Path.of("..", "docs", "FORMAT.md"));
  }

  /** The code block that follows a marker, each line with its line feed. */
  private static String example(String name) {
    Matcher matcher =
        Pattern.compile("<!-- example: " + name + " -->\n```[a-z]*\n(.*?)```\n", Pattern.DOTALL)
            .matcher(page);
    assertThat(matcher.find()).as("example '%s' of the page", name).isTrue();
    return matcher.group(1);
  }

  /** The bytes of a dump, of which every line must begin with its own offset. */
  private static byte[] dump(String name) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    example(name)
        .lines()
        .filter(line -> !line.isBlank() && !line.stripLeading().startsWith("--"))
        .forEach(
            line -> {
              Matcher matcher = DUMP_LINE.matcher(line);
              assertThat(matcher.matches()).as("line of a dump: %s", line).isTrue();
              assertThat(Integer.parseInt(matcher.group(1), 16)).as(line).isEqualTo(bytes.size());
              bytes.writeBytes(HexFormat.ofDelimiter(" ").parseHex(matcher.group(2)));
            });
    return bytes.toByteArray();
  }

  private Path writeExample() throws IOException {
    Files.write(
        directory.resolve(SnapshotFormat.MANIFEST_FILE), example("manifest").getBytes(UTF_8));
    Files.write(directory.resolve("part-00000.bsdb"), dump("partition file"));
    return directory;
  }

  private static String hash(String key) {
    HashValue128 hash = KeyHash.hash(key.getBytes(UTF_8));
    return "high `%016x`, low `%016x`"
        .formatted(hash.getMostSignificantBits(), hash.getLeastSignificantBits());
  }

  @Test
  void documentedFileHoldsDocumentedRecords() throws IOException {
    try (SnapshotReader reader = SnapshotReader.open(writeExample())) {
      assertThat(reader.get("Bern".getBytes(UTF_8))).asString(UTF_8).isEqualTo("134591");
      assertThat(reader.get("Genf".getBytes(UTF_8))).asString(UTF_8).isEqualTo("203856");
      assertThat(reader.get("Zug".getBytes(UTF_8))).asString(UTF_8).isEqualTo("30934");
      assertThat(reader.get("Chur".getBytes(UTF_8))).isNull();
      Map<String, String> records = new TreeMap<>();
      try (RecordCursor cursor = reader.scan()) {
        while (cursor.next()) {
          records.put(new String(cursor.key(), UTF_8), new String(cursor.value(), UTF_8));
        }
      }
      assertThat(records).isEqualTo(Map.of("Bern", "134591", "Genf", "203856", "Zug", "30934"));
    }
  }

  @Test
  void documentedFilePassesCompleteVerification() throws IOException {
    Manifest manifest = SnapshotVerifier.verify(writeExample());

    assertThat(manifest.recordCount()).isEqualTo(3);
    assertThat(manifest.properties()).containsEntry("source", "example");
  }

  @Test
  void manifestIsWrittenAsDocumented() throws IOException {
    Manifest manifest = Manifest.decode(example("manifest").getBytes(UTF_8), "FORMAT.md");

    assertThat(manifest.encode()).asString(UTF_8).isEqualToNormalizingNewlines(example("manifest"));
  }

  @Test
  void segmentIsWrittenAsDocumented() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SegmentWriter writer =
        new SegmentWriter(
            Channels.newChannel(out), UUID.fromString("5d0f1c2e-7a34-4b89-9c60-d1e2f3a4b5c6"));
    writer.add(ChangeKind.PUT, "a".getBytes(UTF_8), "v".getBytes(UTF_8));
    writer.add(ChangeKind.DELETE, "b".getBytes(UTF_8), new byte[0]);
    writer.seal();
    assertThat(out.toByteArray()).isEqualTo(dump("segment"));
  }

  @Test
  void logIsWrittenAsDocumented() {
    UUID fileId = UUID.fromString("7b1e5d20-93c4-4f6a-8d02-a1b2c3d4e5f6");
    UUID before = UUID.fromString("5d0f1c2e-7a34-4b89-9c60-d1e2f3a4b5c6");
    FrameBuffer frame = new FrameBuffer(ByteBuffer::allocate);
    frame.add(ChangeKind.PUT, "a".getBytes(UTF_8), "v".getBytes(UTF_8));
    frame.add(ChangeKind.DELETE, "b".getBytes(UTF_8), new byte[0]);
    ByteBuffer log = ByteBuffer.allocate(4096);
    log.put(LogSegment.header(fileId, 2));
    log.put(LogSegment.firstFrame(fileId, new LogSegment.Place(1, before, 4096)));
    log.put(frame.finishRecords(new PartChecksum(fileId), log.position(), 2, 64));
    assertThat(Arrays.copyOf(log.array(), log.position())).isEqualTo(dump("log"));
    byte[] seal = new byte[LogSegment.SEAL_LENGTH];
    LogSegment.seal(fileId, log.position(), 2, 1, 1, 0).get(seal);
    assertThat(seal).isEqualTo(dump("seal"));
  }

  @Test
  void sectionsOfKeyOrderAreWrittenAsDocumented() {
    List<byte[]> keys =
        Stream.of("geneva", "gersau", "glarus", "grenchen")
            .map(key -> key.getBytes(UTF_8))
            .toList();
    BlockIndex.Builder blocks = new BlockIndex.Builder(1);
    blocks.add(0, 0);
    blocks.add(2, 100);
    assertThat(OrderIndex.encode(keys::get, 4, blocks).array()).isEqualTo(dump("order index"));
    assertThat(RecordHeads.encode(keys::get, 4, blocks).array()).isEqualTo(dump("heads"));
    assertThat(Positions.encode(new int[] {3, 0, 2, 1}, 4).array()).isEqualTo(dump("positions"));
  }

  @Test
  void orderedKeysAreEncodedAsDocumented() {
    assertThat(page)
        .contains(
            "`(\"CH\", 7)` of (CHAR(2), INT) is `4348 0001 80000007`",
            "The DECIMAL(10, 2) 1.28 is `8000000080`, −1.28 is `7fffffff80`");
    assertThat(orderedKey(List.of("CHAR(2)", "INT"), "CH", 7)).isEqualTo("4348000180000007");
    assertThat(orderedKey(List.of("BYTES", "BOOLEAN"), new byte[1], true)).isEqualTo("00ff000101");
    assertThat(orderedKey(List.of("BIGINT"), -1L)).isEqualTo("7fffffffffffffff");
    assertThat(orderedKey(List.of("DOUBLE"), 1.5)).isEqualTo("bff8000000000000");
    assertThat(orderedKey(List.of("DOUBLE"), -1.5)).isEqualTo("4007ffffffffffff");
    assertThat(orderedKey(List.of("DOUBLE"), Double.NaN)).isEqualTo("fff8000000000000");
    assertThat(orderedKey(List.of("DECIMAL(10, 2)"), new BigDecimal("1.28")))
        .isEqualTo("8000000080");
    assertThat(orderedKey(List.of("DECIMAL(10, 2)"), new BigDecimal("-1.28")))
        .isEqualTo("7fffffff80");
  }

  private static String orderedKey(List<String> types, Object... values) {
    Schema.Builder schema = Schema.builder().keyEncoding(KeyEncoding.ORDERED);
    String[] names = types.toArray(String[]::new);
    types.forEach(type -> schema.column(type, type));
    return HexFormat.of()
        .formatHex(RowCodec.of(schema.primaryKey(names).build()).encodeKey(values));
  }

  @Test
  void documentedHashesAreThoseOfTheCode() {
    assertThat(page).contains(hash("Zug"), hash("Chur"));
    HashValue128 hash = KeyHash.hash("Europe/Zurich".getBytes(UTF_8));
    assertThat(page)
        .contains(
            "| `Europe/Zurich` in ASCII | `%016x` | `%016x` |"
                .formatted(hash.getMostSignificantBits(), hash.getLeastSignificantBits()));
  }

  @Test
  void documentedChecksumIsThatOfTheCode() {
    PartChecksum checksum =
        new PartChecksum(UUID.fromString("5d0f1c2e-7a34-4b89-9c60-d1e2f3a4b5c6"));
    int actual = checksum.of(5, 4096, ByteBuffer.wrap("123456789".getBytes(UTF_8)), 0, 9);
    assertThat(page).contains("and the checksum `%s`.".formatted(SnapshotFormat.hex(actual)));
  }

  @Test
  void currentHasTheDocumentedLength() throws IOException {
    Path table = directory.resolve("table");
    TestData.empty().publish(table, WriterOptions.defaults());
    assertThat(page)
        .contains(
            "and one line feed (`0a`): %d bytes."
                .formatted(Files.size(table.resolve(SnapshotFormat.CURRENT_FILE))));
  }

  @Test
  void documentedBlockIndexHoldsDocumentedRanks() throws IOException {
    BlockIndex index = BlockIndex.open(ByteBuffer.wrap(dump("block index")), 40, 2460, 1, "page");

    int[] firstRanks = {0, 5, 12, 14, 30};
    assertThat(index.blockCount()).isEqualTo(firstRanks.length);
    for (int block = 0; block < firstRanks.length; block++) {
      assertThat(index.firstRank(block)).isEqualTo(firstRanks[block]);
      assertThat(index.offset(block)).isEqualTo(512L * block);
    }
    assertThat(index.block(13)).isEqualTo(2);
    assertThat(index.offset(5)).isEqualTo(2460);
  }

  @Test
  void documentedSymbolsDecodeTheDocumentedValue() throws IOException {
    RecordSymbols symbols = RecordSymbols.decode(ByteBuffer.wrap(dump("symbols")), "page", 0);
    assertThat(symbols.encode()).isEqualTo(ByteBuffer.wrap(dump("symbols")));
    Schema schema =
        Schema.builder()
            .column("id", "BIGINT")
            .column("name", "STRING")
            .column("people", "BIGINT")
            .column("zone", "STRING")
            .primaryKey("id")
            .build();
    byte[] value = RowCodec.of(schema).encodeValue("Bern", 134591L, "Europe/Zurich");
    assertThat(page)
        .contains("('Bern', 134591, 'Europe/Zurich'), of %d bytes:".formatted(value.length));
    RecordEncoder encoder = new RecordEncoder(symbols);
    encoder.encode(ByteBuffer.wrap(value), 0, 0, 0, value.length);
    byte[] encoded = dump("encoded value");
    assertThat(Arrays.copyOf(encoder.encoded(), encoder.valueLength())).isEqualTo(encoded);
    ValueDecoder decoder = new ValueDecoder(symbols);
    int length = decoder.value(encoded, 0, encoded.length, 28, FieldSelection.ALL);
    assertThat(Arrays.copyOf(decoder.plain(), length)).isEqualTo(value);
    for (String name : List.of("Genf", "Bex")) {
      byte[] other = RowCodec.of(schema).encodeValue(name, 0L, "Europe/Zurich");
      encoder.encode(ByteBuffer.wrap(other), 0, 0, 0, other.length);
      byte[] bytes = Arrays.copyOfRange(encoder.encoded(), 11, encoder.valueLength() - 2);
      assertThat(page).contains("`" + HexFormat.ofDelimiter(" ").formatHex(bytes) + "`");
    }
  }
}
