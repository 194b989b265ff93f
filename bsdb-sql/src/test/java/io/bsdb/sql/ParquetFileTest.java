package io.bsdb.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.RowCodec;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import io.bsdb.testkit.ArabicDigits;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rows in Parquet files, as DuckDB reads them. */
@ExtendWith(ArabicDigits.class)
class ParquetFileTest {
  private static final List<String> SCALARS =
      List.of(
          "CHAR(3)",
          "VARCHAR(9)",
          "STRING",
          "BOOLEAN",
          "BINARY(2)",
          "BYTES",
          "DECIMAL(3, 1)",
          "DECIMAL(9, 9)",
          "DECIMAL(16, 2)",
          "DECIMAL(18, 0)",
          "DECIMAL(19, 4)",
          "DECIMAL(38, 17)",
          "TINYINT",
          "SMALLINT",
          "INT",
          "BIGINT",
          "FLOAT",
          "DOUBLE",
          "DATE",
          "TIME",
          "TIMESTAMP(0)",
          "TIMESTAMP(3)",
          "TIMESTAMP(6)",
          "TIMESTAMP(9)",
          "TIMESTAMP_LTZ(3)",
          "TIMESTAMP_LTZ(6)",
          "IP",
          "IPV4");

  @TempDir private Path directory;

  /** A row: key and value. */
  private static Map.Entry<byte[], byte[]> row(
      Schema schema, Object key, @Nullable Object... values) {
    RowCodec codec = RowCodec.of(schema);
    return Map.entry(codec.encodeKey(key), codec.encodeValue(values));
  }

  private Path write(Schema schema, List<Map.Entry<byte[], byte[]>> rows) throws IOException {
    return write(schema, null, rows);
  }

  private Path write(Schema schema, @Nullable String ended, List<Map.Entry<byte[], byte[]>> rows)
      throws IOException {
    Path file = directory.resolve("rows.parquet");
    Iterator<Map.Entry<byte[], byte[]>> all = rows.iterator();
    ParquetFile.write(file, schema, ended, () -> all.hasNext() ? all.next() : null);
    return file;
  }

  /** Returns the rows of a file as JSON. */
  private List<String> read(Path file, List<String> key) throws IOException {
    try (SqlEngine engine = SqlEngine.open(256 << 20, 1, directory.resolve("temporary"))) {
      SqlQuery query = engine.parquet(file);
      Schema schema = Schema.of(query.columns(), key);
      JsonRows rows = new JsonRows(schema);
      query.read(schema, null, rows);
      return rows.rows();
    }
  }

  @Test
  void holdsRowsOfAllTypes() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int run = 0; run < 5; run++) {
      Schema schema = schema(random, run);
      RowJsonWriter json = RowJsonWriter.of(schema);
      List<Map.Entry<byte[], byte[]>> rows = new ArrayList<>();
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 2_500; i++) { // more than a chunk
        Object[] values =
            schema.valueColumns().stream().map(column -> value(random, column.type())).toArray();
        rows.add(row(schema, i, values));
        expected.add(json.row(rows.get(i).getKey(), rows.get(i).getValue()));
      }

      Path file = write(schema, rows);

      assertThat(read(file, schema.primaryKey()))
          .as("seed %d, run %d: %s", seed, run, schema)
          .isEqualTo(expected);
    }
  }

  @Test
  void replacesNothingButFiles() throws IOException {
    Path link = Files.createSymbolicLink(directory.resolve("rows.parquet"), Path.of("/dev/null"));
    Schema schema = Schema.of(List.of(new Column("id", ColumnType.parse("INT"))), List.of("id"));
    assertThatThrownBy(() -> write(schema, List.of(row(schema, 1))))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "cannot write %s: what is there is no regular file; give the name of another file",
            link);
    assertThat(link).isSymbolicLink();
  }

  @Test
  void replacesTheFileThatALinkLeadsTo() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    Path link = Files.createSymbolicLink(directory.resolve("rows.parquet"), file);
    Schema schema = Schema.of(List.of(new Column("id", ColumnType.parse("INT"))), List.of("id"));
    write(schema, List.of(row(schema, 1)));
    assertThat(link).isSymbolicLink();
    assertThat(read(file, List.of("id"))).containsExactly("{\"id\": 1}");
  }

  /** Scalars of all types in the first run; later, a few nested ones. */
  private static Schema schema(Random random, int run) {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < (run == 0 ? SCALARS.size() : 4); i++) {
      String type = run == 0 ? SCALARS.get(i) : nested(random, 0);
      columns.add(new Column("%d \"Größe\"".formatted(i), ColumnType.parse(type)));
    }
    columns.add(random.nextInt(columns.size()), new Column("id", ColumnType.parse("INT")));
    return Schema.of(columns, List.of("id"));
  }

  private static String nested(Random random, int depth) {
    String element =
        depth < 3 && random.nextInt(3) > 0
            ? nested(random, depth + 1)
            : SCALARS.get(random.nextInt(SCALARS.size()));
    return switch (random.nextInt(3)) {
      case 0 -> "ARRAY<" + element + ">";
      case 1 -> "MAP<" + SCALARS.get(random.nextInt(SCALARS.size())) + ", " + element + ">";
      default -> "ROW<`a \"b\"` " + element + ", c INT>";
    };
  }

  private static @Nullable Object value(Random random, ColumnType type) {
    return random.nextInt(6) == 0 ? null : present(random, type);
  }

  private static Object present(Random random, ColumnType type) {
    if (type.isAddress()) {
      return type.kind() == ColumnType.Kind.BIGINT
          ? random.nextInt() & 0xFFFF_FFFFL
          : bytes(random, 16);
    }
    boolean isExtreme = random.nextInt(4) == 0;
    boolean isHigh = random.nextBoolean();
    return switch (type.kind()) {
      case CHAR, VARCHAR -> text(random);
      case BOOLEAN -> isHigh;
      case BINARY, VARBINARY -> bytes(random, random.nextInt(5));
      case DECIMAL -> {
        BigInteger most = BigInteger.TEN.pow(type.precision()).subtract(BigInteger.ONE);
        BigInteger digits = isExtreme ? most : new BigInteger(130, random).mod(most);
        yield new BigDecimal(isHigh ? digits : digits.negate(), type.scale());
      }
      case TINYINT -> (byte) random.nextInt();
      case SMALLINT -> (short) random.nextInt();
      case INT -> isExtreme ? (isHigh ? Integer.MAX_VALUE : Integer.MIN_VALUE) : random.nextInt();
      case BIGINT -> isExtreme ? (isHigh ? Long.MAX_VALUE : Long.MIN_VALUE) : random.nextLong();
      case FLOAT -> {
        float[] extremes = {
          Float.NaN, -0.0f, Float.MIN_VALUE, -Float.MAX_VALUE, Float.NEGATIVE_INFINITY
        };
        yield isExtreme ? extremes[random.nextInt(extremes.length)] : random.nextFloat() / 3;
      }
      case DOUBLE -> {
        double[] extremes = {
          Double.NaN, -0.0, Double.MIN_VALUE, -Double.MAX_VALUE, Double.POSITIVE_INFINITY
        };
        yield isExtreme ? extremes[random.nextInt(extremes.length)] : random.nextDouble() * 1e9;
      }
      case DATE ->
          isExtreme
              ? (isHigh ? LocalDate.of(5_881_580, 7, 10) : LocalDate.of(-5_877_641, 6, 25))
              : LocalDate.ofEpochDay(random.nextInt(8_000_000) - 4_000_000);
      case TIME -> LocalTime.ofNanoOfDay(random.nextInt(86_400_000) * 1_000_000L);
      case TIMESTAMP -> time(random, type.precision(), isExtreme, isHigh);
      case TIMESTAMP_LTZ ->
          time(random, type.precision(), isExtreme, isHigh).toInstant(ZoneOffset.UTC);
      case ARRAY -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
          list.add(value(random, type.elementType()));
        }
        yield list;
      }
      case MAP -> map(random, type);
      case ROW -> type.fields().stream().map(field -> value(random, field.type())).toArray();
    };
  }

  /** Keys of bytes or of zeros and NaNs may be the same, so there is one of them at most. */
  private static Map<Object, @Nullable Object> map(Random random, ColumnType type) {
    Map<Object, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      Object key = present(random, type.keyType());
      if (map.isEmpty()
          || !(key instanceof byte[] || key instanceof Float || key instanceof Double)) {
        map.put(key, value(random, type.valueType()));
      }
    }
    return map;
  }

  private static LocalDateTime time(
      Random random, int precision, boolean isExtreme, boolean isHigh) {
    if (isExtreme && precision > 6) {
      return LocalDateTime.parse(isHigh ? "2262-04-11T23:47:16.854775806" : "1677-09-21T00:12:44");
    }
    if (isExtreme) {
      return isHigh
          ? LocalDateTime.of(294_247, 1, 10, 4, 0, 54, precision > 3 ? 775_806_000 : 775_000_000)
          : LocalDateTime.of(-290_308, 12, 22, 0, 0);
    }
    int unit = precision > 6 ? 1 : precision > 3 ? 1_000 : 1_000_000;
    long second =
        random.nextInt(precision > 6 ? Integer.MAX_VALUE : 400)
            * (precision > 6 ? 4L : 1_000_000_000L);
    return LocalDateTime.ofEpochSecond(
        isHigh ? second : -second, random.nextInt(1_000_000_000) / unit * unit, ZoneOffset.UTC);
  }

  private static String text(Random random) {
    String[] parts = {
      "a", "\"", "\\", "\\x41", "'", "\0", "\n", "ü", "\uFFFD", "😀", "null", " ", ""
    };
    return parts[random.nextInt(parts.length)] + parts[random.nextInt(parts.length)];
  }

  private static byte[] bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "DATE | +5881580-07-11 | -5877641-06-25 to +5881580-07-10",
        "DATE | -5877641-06-24 | -5877641-06-25 to",
        "TIMESTAMP(6) | +294247-01-10T04:00:54.775807 | -290308-12-22T00:00 to",
        "TIMESTAMP(6) | -290308-12-21T23:59:59 | -290308-12-22T00:00 to",
        "TIMESTAMP_LTZ(3) | +294247-01-10T04:00:55 | -290308-12-22T00:00 to",
        "TIMESTAMP(9) | 2262-04-11T23:47:16.854775807 | 1677-09-21T00:12:44 to",
      })
  void refusesTimesThatDuckDbDoesNotHold(String type, String text, String range)
      throws IOException {
    Object value =
        switch (type) {
          case "DATE" -> LocalDate.parse(text);
          case "TIMESTAMP_LTZ(3)" -> Instant.parse(text + "Z");
          default -> LocalDateTime.parse(text);
        };
    for (String column : new String[] {type, "ARRAY<" + type + ">", "MAP<" + type + ", INT>"}) {
      Schema schema = schema(column);
      Object nested =
          column.startsWith("A")
              ? List.of(value)
              : column.startsWith("M") ? Map.of(value, 1) : value;
      assertThatThrownBy(() -> write(schema, List.of(row(schema, 1, nested))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("column 'v' has %s, outside of %s", text, range)
          .hasMessageEndingWith(
              "which cannot be written to Parquet: %s; take --format json", column);
      assertThat(directory).isEmptyDirectory();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "TIMESTAMP(6)",
        "TIMESTAMP_LTZ(4)",
        "ARRAY<TIMESTAMP(6)>",
        "MAP<TIMESTAMP_LTZ(6), INT>"
      })
  void refusesTimesFinerThanMicroseconds(String type) {
    LocalDateTime local = LocalDateTime.parse("1969-12-31T23:59:59.123456789");
    Object time = type.contains("LTZ") ? local.toInstant(ZoneOffset.UTC) : local;
    Object value =
        type.startsWith("A") ? List.of(time) : type.startsWith("M") ? Map.of(time, 1) : time;
    Schema schema = schema(type);

    assertThatThrownBy(() -> write(schema, List.of(row(schema, 1, value))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "column 'v' has %s, finer than microseconds, which cannot be written to Parquet: %s; take --format json",
            time, ColumnType.parse(type));
    assertThat(directory).isEmptyDirectory();
  }

  private static Schema schema(String type) {
    return Schema.builder().column("id", "INT").column("v", type).primaryKey("id").build();
  }

  @Test
  void refusesTextThatIsNotUtf8() throws IOException {
    for (String type : new String[] {"STRING", "ARRAY<STRING>"}) {
      Schema schema = schema(type);
      byte[] value = row(schema, 1, type.equals("STRING") ? "ab" : List.of("ab")).getValue();
      value[value.length - 1] = (byte) 0xFF;
      assertThatThrownBy(
              () ->
                  write(schema, List.of(Map.entry(row(schema, 1, (Object) null).getKey(), value))))
          .hasMessageContaining("column 'v' has text that is not UTF-8");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "TIMESTAMP_LTZ(9) | column 'v' has nanoseconds in UTC",
        "MAP<ARRAY<INT>, INT> | column 'v' has a map with nested keys",
        "ROW<a INT, A INT> | column 'v' has a name, 'A', like another but for case",
        "INT, V INT | column 'V' has a name, 'V', like another but for case",
      })
  void refusesTypesThatParquetOrDuckDbDoesNotHave(String type, String message) {
    List<Column> columns = ColumnType.parseColumns("id INT, v " + type);
    Schema schema = Schema.of(columns, List.of("id"));

    assertThatThrownBy(() -> write(schema, List.of())).hasMessageStartingWith(message);
  }

  @Test
  void refusesANullAsAKey() {
    Schema schema = schema("MAP<INT, INT>");
    Map<@Nullable Integer, Integer> map = new LinkedHashMap<>();
    map.put(null, 1);

    assertThatThrownBy(() -> write(schema, List.of(row(schema, 1, map))))
        .hasMessageStartingWith("column 'v' has a map with NULL as a key");
  }

  @Test
  void marksEndedRows() throws IOException {
    Schema schema = schema("STRING");
    Map.Entry<byte[], byte[]> row = row(schema, 1, "a");

    Path file = write(schema, "ended", List.of(row, Map.entry(row.getKey(), RowWriter.ended())));

    assertThat(read(file, List.of("id")))
        .containsExactly(
            "{\"id\": 1, \"v\": \"a\", \"ended\": false}",
            "{\"id\": 1, \"v\": null, \"ended\": true}");
  }

  @Test
  void keepsNamesThatDifferOnlyInCase() throws IOException {
    try (SqlEngine engine = SqlEngine.open(64 << 20, 1, directory.resolve("temporary"))) {
      assertThat(engine.query("SELECT 1 AS a, 2 AS \"A\", 3 AS \"A_1\"").columns())
          .extracting(Column::name)
          .containsExactly("a", "A", "A_1");
      assertThat(engine.query("SELECT 1 AS a, 2 AS a").columns())
          .extracting(Column::name)
          .containsExactly("a", "a_1");
      byte[] bytes = Parquet.of("SELECT 1 AS name, 2 AS \"QAME\", 3 AS other");
      String file = new String(bytes, StandardCharsets.ISO_8859_1).replace("QAME", "NAME");
      Path path = directory.resolve("names.parquet");
      Files.write(path, file.getBytes(StandardCharsets.ISO_8859_1));
      assertThatThrownBy(() -> engine.parquet(path))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("column 'NAME_1' has this name in DuckDB alone");
      assertThat(engine.query("SELECT name, \"NAME_1\" AS \"NAME\" FROM '" + path + "'").columns())
          .extracting(Column::name)
          .containsExactly("name", "NAME");
    }
  }
}
