package io.bsdb.row;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.row.text.RowJsonWriter;
import io.bsdb.row.text.ValueParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The JSON of keys and rows, as docs/FORMAT.md says. */
class RowJsonTest {
  private static final Pattern EXAMPLE =
      Pattern.compile("\\| `+ ?([^`]+(?:`\\w+`[^`]*)*?) ?`+ \\| `([0-9a-f ]+)` \\| `(.+)` \\|");
  private static final byte[] ID = {0, 0, 0, 7};
  private static final ObjectMapper MAPPER = JsonMapper.builder(ValueParser.JSON).build();

  static Stream<List<String>> examples() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "FORMAT.md"));
    String section = page.substring(page.indexOf("\n## Rows and keys as JSON"));
    List<List<String>> examples =
        section
            .lines()
            .map(EXAMPLE::matcher)
            .filter(Matcher::matches)
            .map(m -> List.of(m.group(1), m.group(2).replace(" ", ""), m.group(3)))
            .toList();
    assertThat(examples).hasSizeGreaterThan(30);
    return examples.stream();
  }

  @ParameterizedTest
  @MethodSource("examples")
  void theExamplesOfTheDocumentHold(List<String> example) throws IOException {
    Schema schema = schema(example.get(0));
    byte[] value = HexFormat.of().parseHex(example.get(1));

    assertThat(RowJsonWriter.of(schema).row(ID, value))
        .isEqualTo("{\"id\": 7, \"v\": " + example.get(2) + "}");
    if (!example.get(2).contains("malformedUtf8") && !example.get(2).contains("[1, \"a\"], [1")) {
      assertThat(RowCodec.of(schema).encodeValue(new Object[] {read(schema, example.get(2))}))
          .isEqualTo(value);
    }
  }

  @Test
  void endedRowsHaveNullInTheirOtherColumns() {
    Schema schema = schema("INT");
    RowJsonWriter writer = RowJsonWriter.of(schema).withEnded();
    assertThat(writer.endedMember()).isEqualTo("ended");
    assertThat(writer.row(ID, RowWriter.ended()))
        .isEqualTo("{\"id\": 7, \"v\": null, \"ended\": true}");
    assertThat(writer.row(ID, RowCodec.of(schema).encodeValue(3)))
        .isEqualTo("{\"id\": 7, \"v\": 3, \"ended\": false}");
    RowJsonWriter others = RowJsonWriter.of(schema);
    assertThat(others.endedMember()).isNull();
    assertThatThrownBy(() -> others.row(ID, RowWriter.ended()))
        .hasCauseInstanceOf(CorruptSnapshotException.class);

    Schema taken =
        Schema.builder().column("id", "INT").column("ended", "INT").primaryKey("id").build();
    assertThat(RowJsonWriter.of(taken).withEnded().row(ID, RowWriter.ended()))
        .isEqualTo("{\"id\": 7, \"ended\": null, \"_ended\": true}");
  }

  @Test
  void whatIsWrittenIsReadBack() throws IOException {
    long seed = System.nanoTime();
    var rows = new RandomRows(seed);
    for (int i = 0; i < 500; i++) {
      ColumnType type = rows.type(3);
      Schema schema = schema(type.toString());
      RowCodec codec = RowCodec.of(schema);
      byte[] value = codec.encodeValue(new Object[] {rows.value(type)});
      String json = RowJsonWriter.of(schema).row(ID, value);

      byte[] again = codec.encodeValue(new Object[] {read(schema, valueOf(json))});

      assertThat(RowJsonWriter.of(schema).row(ID, again)).as("seed %d", seed).isEqualTo(json);
      assertThat(MAPPER.readTree(bytes(schema, value)))
          .as("seed %d: %s", seed, json)
          .isEqualTo(MAPPER.readTree(json));
      if (!json.contains("NaN")) { // which has many bit patterns
        assertThat(again).as("seed %d: %s %s", seed, type, json).isEqualTo(value);
      }
    }
  }

  @Test
  void decimalsHaveNoExponents() {
    for (int scale = 0; scale <= 38; scale++) {
      Schema schema = schema("DECIMAL(38, " + scale + ")");
      for (long unscaled : new long[] {0, 1, -1, 10, 99, -12_345_678}) {
        BigDecimal decimal = BigDecimal.valueOf(unscaled, scale);
        byte[] value = RowCodec.of(schema).encodeValue(decimal);
        assertThat(valueOf(RowJsonWriter.of(schema).row(ID, value)))
            .isEqualTo(decimal.toPlainString());
      }
    }
  }

  @Test
  void textsOfAnyLengthAreTheSameInBytes() throws IOException {
    Schema schema = schema("STRING");
    for (int length = 1; length < 30; length++) {
      for (int at = 0; at < length; at++) {
        String text = "a".repeat(at) + 'é' + "b".repeat(length - at - 1);
        byte[] value = RowCodec.of(schema).encodeValue(text);
        assertThat(new String(bytes(schema, value), UTF_8))
            .isEqualTo("{\"id\":7,\"v\":\"" + text + "\"}");
        byte[] malformed = RowCodec.of(schema).encodeValue("a".repeat(length));
        malformed[malformed.length - length + at] = (byte) 0x80;
        assertThat(new String(bytes(schema, malformed), UTF_8)).contains("malformedUtf8");
      }
    }
  }

  /** Returns a row as it is written to a stream of bytes. */
  private static byte[] bytes(Schema schema, byte[] value) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (JsonGenerator out = MAPPER.createGenerator(bytes)) {
      RowJsonWriter.of(schema).writeRow(out, ID, value);
    }
    return bytes.toByteArray();
  }

  /** Names of JSON members are keys of maps, and may be as long as these. */
  @Test
  void longKeysOfMapsAreReadBack() throws IOException {
    Schema schema = schema("MAP<STRING, INT>");
    String json = "{\"" + "k".repeat(60_000) + "\": 1}";
    byte[] value = RowCodec.of(schema).encodeValue(new Object[] {read(schema, json)});
    assertThat(valueOf(RowJsonWriter.of(schema).row(ID, value))).isEqualTo(json);
  }

  @Test
  void keysAreReadBack() throws IOException {
    long seed = System.nanoTime();
    var rows = new RandomRows(seed);
    for (int i = 0; i < 300; i++) {
      Schema schema = rows.schema();
      RowCodec codec = RowCodec.of(schema);
      Object[] values =
          schema.keyColumns().stream().map(column -> rows.value(column.type())).toArray();
      KeyWriter writer = KeyWriter.of(schema);
      for (int k = 0; k < values.length; k++) {
        FieldEncoder.write(writer, schema.keyColumns().get(k), values[k]);
      }
      if (writer.fits()) {
        byte[] key = writer.toBytes();
        String json = RowJsonWriter.of(schema).key(key);
        assertThat(codec.encodeKey(parse(json, in -> readKey(schema, in))))
            .as("seed %d: %s %s", seed, schema, json)
            .isEqualTo(key);
      }
    }
  }

  @Test
  void malformedTextsStayDifferentAndAreNotRead() {
    Schema schema = Schema.builder().column("k", "STRING").primaryKey("k").build();
    byte[] replacement = "\uFFFD".getBytes(UTF_8);
    RowJsonWriter writer = RowJsonWriter.of(schema);

    assertThat(writer.key(replacement)).isEqualTo("{\"k\": \"\uFFFD\"}");
    assertThat(writer.key(new byte[] {(byte) 0xFF}))
        .isEqualTo("{\"k\": {\"malformedUtf8\": \"/w==\"}}");
    assertThat(writer.key(new byte[] {(byte) 0xFE}))
        .isEqualTo("{\"k\": {\"malformedUtf8\": \"/g==\"}}");
    String json = writer.key(new byte[] {(byte) 0xFF});
    assertThatThrownBy(() -> parse(json, in -> readKey(schema, in)))
        .hasMessageContaining("malformed text cannot be stored: {\"malformedUtf8\":\"/w==\"}");
    assertThatThrownBy(() -> read(schema("STRING"), "{\"malformedUtf8\": \"/w==\"}"))
        .hasMessageContaining("malformed text cannot be stored");
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '#',
      value = {
        "DECIMAL(4, 2)|1e999999999|'1e999999999' is not a value of `v` DECIMAL(4, 2)",
        "DECIMAL(4, 2)|1e-999999999|'1e-999999999' is not a value of `v` DECIMAL(4, 2)",
        "DECIMAL(4, 2)|0.001|'0.001' is not a value of `v` DECIMAL(4, 2)",
        "DOUBLE|1e999|'1e999' is not a value of `v` DOUBLE",
        "FLOAT|1e39|'1e39' is not a value of `v` FLOAT",
        "DOUBLE|\"1d\"|'1d' is not a value of `v` DOUBLE",
        "DOUBLE|\" 1\"|' 1' is not a value of `v` DOUBLE",
        "FLOAT|\"0x1p3\"|'0x1p3' is not a value of `v` FLOAT",
        "BIGINT|\"\u0661\"|'\u0661' is not a value of `v` BIGINT",
        "INT|\"\u0967\"|'\u0967' is not a value of `v` INT",
        "DECIMAL(4, 2)|\"\uff11\"|'\uff11' is not a value of `v` DECIMAL(4, 2)",
        "BIGINT|1.0|'1.0' is not a value of `v` BIGINT",
        "INT|[1]|'[1]' is not a value of `v` INT",
        "DATE|\"2024-02-30\"|'2024-02-30' is not a value of `v` DATE",
        "ARRAY<INT>|{\"a\": 1}|'{\"a\":1}' is not an array for `v` ARRAY<INT>",
        "MAP<INT, INT>|[1]|'1' is not an array of key and value for `v` MAP<INT, INT>",
        "MAP<INT, INT>|[[1]]|no value of `v` INT before ']'",
        "MAP<INT, INT>|[[]]|no value of `v` INT before ']'",
        "MAP<INT, INT>|[[1, 2, 3]]|'3' is not the end of a pair for `v` MAP<INT, INT>",
        "MAP<INT, INT>|{\"1\": 1, \"01\": 2}|key '1' twice in `v` MAP<INT, INT>",
      },
      delimiter = '|')
  void refusesWhatDoesNotFit(String type, String json, String message) {
    assertThatThrownBy(() -> read(schema(type), json))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  /** The time to read one grows with the square of its length: a client could ask for minutes. */
  @Test
  void refusesDecimalsThatAreLongerThanAnyNeed() {
    Column column = new Column("v", ColumnType.decimal(4, 2));
    String longest = "0".repeat(998) + "17";
    assertThat(ValueParser.parse(column, longest)).isEqualTo(new BigDecimal("17.00"));
    assertThatThrownBy(() -> ValueParser.parse(column, "0" + longest))
        .isInstanceOf(IllegalArgumentException.class)
        .hasRootCauseMessage("too many digits");
  }

  @Test
  void keysComeAsTextArrayOrObject() throws IOException {
    Schema schema =
        Schema.builder()
            .column("country", "CHAR(2)")
            .column("id", "BIGINT")
            .primaryKey("country", "id")
            .build();
    List<Column> columns = schema.keyColumns();

    for (String text : List.of("DE,4711", "[\"DE\", 4711]", "[\"DE\", \"4711\"]")) {
      assertThat(ValueParser.parseKey(columns, text)).containsExactly("DE", 4711L);
    }
    assertThat(parse("{\"id\": 4711, \"country\": \"DE\"}", in -> readKey(schema, in)))
        .containsExactly("DE", 4711L);
    assertThatThrownBy(() -> ValueParser.parseKey(columns, "DE"))
        .hasMessageContaining("1 values for the key columns");
    assertThatThrownBy(() -> ValueParser.parseKey(columns, "[\"DE\", null]"))
        .hasMessageContaining("a key has no value like null");
    assertThatThrownBy(() -> ValueParser.parseKey(columns, "[\"DE\", 1] 2"))
        .hasMessageContaining("not a JSON array");
    assertThat(ValueParser.parsePrefix(columns, "[\"DE\"]")).containsExactly("DE");
    for (String more : List.of("[\"DE\"] 2", "[\"DE\"],[\"FR\"]")) {
      assertThatThrownBy(() -> ValueParser.parsePrefix(columns, more))
          .hasMessageContaining("not a JSON array");
    }
    for (String wrong : List.of("[\"DE\"", "[\"DE\"}", "[\"DE\", x]")) {
      assertThatThrownBy(() -> ValueParser.parseKey(columns, wrong))
          .message()
          .startsWith("not a JSON array: Un")
          .doesNotContain("Source");
      assertThatThrownBy(() -> ValueParser.parsePrefix(columns, wrong))
          .message()
          .startsWith("not a JSON array: Un")
          .doesNotContain("Source");
    }
    assertThatThrownBy(() -> parse("{\"id\": 1}", in -> readKey(schema, in)))
        .hasMessageContaining("members [id] for the key columns");
  }

  private static Schema schema(String type) {
    return Schema.builder().column("id", "INT").column("v", type).primaryKey("id").build();
  }

  /** The value of column v in a row that was written. */
  private static String valueOf(String row) {
    return row.substring("{\"id\": 7, \"v\": ".length(), row.length() - 1);
  }

  private static @Nullable Object read(Schema schema, String json) throws IOException {
    try (JsonParser in = ValueParser.JSON.createParser(json)) {
      in.nextToken();
      Object value = ValueParser.read(schema.column("v"), in);
      assertThat(in.nextToken()).isNull();
      return value;
    }
  }

  private static Object[] readKey(Schema schema, JsonParser in) {
    try {
      return ValueParser.readKey(schema.keyColumns(), in);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Object[] parse(String json, Function<JsonParser, Object[]> reading)
      throws IOException {
    try (JsonParser in = ValueParser.JSON.createParser(json)) {
      in.nextToken();
      return reading.apply(in);
    }
  }
}
