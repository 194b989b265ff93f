package io.bsdb.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.row.Column;
import io.bsdb.row.Schema;
import io.bsdb.testkit.ArabicDigits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries against DuckDB itself. */
@ExtendWith(ArabicDigits.class)
class SqlQueryTest {
  @TempDir private Path directory;
  private SqlEngine engine;

  @BeforeEach
  void open() throws IOException {
    engine = SqlEngine.open(64 << 20, 2, directory.resolve("temporary"));
  }

  @AfterEach
  void close() throws IOException {
    engine.close();
    assertThat(directory.resolve("temporary")).isEmptyDirectory();
  }

  /** Rows as JSON, or what was refused. */
  private List<String> rows(String sql, String... key) throws IOException {
    return rows(engine.query(sql), key);
  }

  private static List<String> rows(SqlQuery query, String... key) throws IOException {
    Schema schema = Schema.of(query.columns(), List.of(key));
    JsonRows json = new JsonRows(schema);
    query.read(schema, null, json);
    return json.rows().stream()
        .map(row -> row.startsWith("{") ? row.replace(": ", ":").replace(", ", ",") : row)
        .toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "true | BOOLEAN | true",
        "CAST(-7 AS TINYINT) | TINYINT | -7",
        "CAST(-700 AS SMALLINT) | SMALLINT | -700",
        "CAST(-70000 AS INTEGER) | INT | -70000",
        "CAST(-9223372036854775808 AS BIGINT) | BIGINT | -9223372036854775808",
        "CAST(255 AS UTINYINT) | SMALLINT | 255",
        "CAST(65535 AS USMALLINT) | INT | 65535",
        "CAST(4294967295 AS UINTEGER) | BIGINT | 4294967295",
        "CAST(18446744073709551615 AS UBIGINT) | DECIMAL(20, 0) | 18446744073709551615",
        "CAST(0.1 AS FLOAT) | FLOAT | 0.1",
        "CAST(0.1 AS DOUBLE) | DOUBLE | 0.1",
        "CAST('-inf' AS DOUBLE) | DOUBLE | \"-Infinity\"",
        "CAST(-12.30 AS DECIMAL(4,2)) | DECIMAL(4, 2) | -12.30",
        "CAST('12345678901234567890.123' AS DECIMAL(38,3)) | DECIMAL(38, 3) | 12345678901234567890.123",
        "concat('a', chr(128512), 'ü', chr(0)) | STRING | \"a😀ü\\u0000\"",
        "CAST('x' AS ENUM('x', 'y,z')) | STRING | \"x\"",
        "CAST('{\"a\":1}' AS JSON) | STRING | \"{\\\"a\\\":1}\"",
        "CAST('936da01f-9abd-4d9d-80c7-02af85c822a8' AS UUID) | STRING | \"936da01f-9abd-4d9d-80c7-02af85c822a8\"",
        "'\\xAB\\x00'::BLOB | BYTES | \"qwA=\"",
        "DATE '1969-12-31' | DATE | \"1969-12-31\"",
        "TIME '23:59:59.999' | TIME(3) | \"23:59:59.999\"",
        "TIMESTAMP_S '1969-12-31 23:59:59' | TIMESTAMP(0) | \"1969-12-31T23:59:59\"",
        "TIMESTAMP_MS '1969-12-31 23:59:59.123' | TIMESTAMP(3) | \"1969-12-31T23:59:59.123\"",
        "TIMESTAMP '1969-12-31 23:59:59.123456' | TIMESTAMP(6) | \"1969-12-31T23:59:59.123456\"",
        "TIMESTAMP_NS '1969-12-31 23:59:59.123456789' | TIMESTAMP(9) | \"1969-12-31T23:59:59.123456789\"",
        "TIMESTAMPTZ '2026-07-01 00:30:00.5+02' | TIMESTAMP_LTZ(6) | \"2026-06-30T22:30:00.500Z\"",
      })
  void mapsScalarsInKeysAndValues(String expression, String type, String json) throws IOException {
    String sql = "SELECT " + expression + " AS k, " + expression + " AS v";

    assertThat(engine.query(sql).columns())
        .containsExactly(Column.of("k", type), Column.of("v", type));
    assertThat(rows(sql, "k")).containsExactly("{\"k\":" + json + ",\"v\":" + json + "}");
    assertThat(rows("SELECT 1 AS k, CASE WHEN k = 2 THEN " + expression + " END AS v", "k"))
        .containsExactly("{\"k\":1,\"v\":null}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "[1, NULL, 3] | ARRAY<INT> | [1,null,3]",
        "CAST([1, 2] AS INTEGER[2]) | ARRAY<INT> | [1,2]",
        "[['a'], NULL, []] | ARRAY<ARRAY<STRING>> | [[\"a\"],null,[]]",
        "{'a': 1, 'b ''c': 'x', 'q\"\"x': NULL::DOUBLE} | ROW<`a` INT, `b 'c` STRING, `q\"\"x` DOUBLE> | {\"a\":1,\"b 'c\":\"x\",\"q\\\"\\\"x\":null}",
        "MAP {'k': 1.5, 'l': NULL} | MAP<STRING, DECIMAL(2, 1)> | {\"k\":1.5,\"l\":null}",
        "MAP {1: [{'t': TIMESTAMPTZ '2026-01-01 00:00:00.000001+00'}]} | MAP<INT, ARRAY<ROW<`t` TIMESTAMP_LTZ(6)>>> | {\"1\":[{\"t\":\"2026-01-01T00:00:00.000001Z\"}]}",
        "['\\xAB'::BLOB] | ARRAY<BYTES> | [\"qw==\"]",
        "['nan'::FLOAT, 'inf'::FLOAT, 0.1::FLOAT, NULL] | ARRAY<FLOAT> | [\"NaN\",\"Infinity\",0.1,null]",
        "[2.4178516392292583e24::DOUBLE, -0.0::DOUBLE, 5e-324::DOUBLE] | ARRAY<DOUBLE> | [2.4178516392292583E24,-0.0,5.0E-324]",
        "[0.1::FLOAT, -0.0::FLOAT, 2.4178516e24::FLOAT, 1e-45::FLOAT] | ARRAY<FLOAT> | [0.1,-0.0,2.4178516E24,1.0E-45]",
        "[DATE '2026-01-02'] | ARRAY<DATE> | [\"2026-01-02\"]",
        "[TIMESTAMP_NS '2026-01-02 03:04:05.123456789'] | ARRAY<TIMESTAMP(9)> | [\"2026-01-02T03:04:05.123456789\"]",
        "[12345678901234567890123456789012345.678::DECIMAL(38,3)] | ARRAY<DECIMAL(38, 3)> | [12345678901234567890123456789012345.678]",
        "[CAST('y,]' AS ENUM('x', 'y,]'))] | ARRAY<STRING> | [\"y,]\"]",
      })
  void mapsNestedValues(String expression, String type, String json) throws IOException {
    String sql = "SELECT 1 AS k, " + expression + " AS v";

    assertThat(engine.query(sql).columns()).endsWith(Column.of("v", type));
    assertThat(rows(sql, "k")).containsExactly("{\"k\":1,\"v\":" + json + "}");
    assertThat(rows("SELECT 1 AS k, CASE WHEN k = 2 THEN " + expression + " END AS v", "k"))
        .containsExactly("{\"k\":1,\"v\":null}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "sum(1) | HUGEINT",
        "INTERVAL 1 DAY | INTERVAL",
        "NULL | NULL",
        "TIMETZ '10:00:00+01' | TIME WITH TIME ZONE",
        "1::BIT | BIT",
        "TIMESTAMPTZ_NS '2026-01-01 00:00:00+00' | TIMESTAMPTZ_NS, which tables do not have: CAST it in a query to",
        "TIME_NS '10:00:00' | TIME_NS",
        "union_value(num := 2) | UNION",
        "[INTERVAL 1 DAY] | INTERVAL",
        "row(1, 'x') | TUPLE",
      })
  void refusesTypesThatTablesDoNotHaveByColumn(String expression, String type) {
    assertThatThrownBy(() -> engine.query("SELECT 1 AS k, " + expression + " AS \"my total\""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("column 'my total' is of type " + type);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "NULL::BIGINT | 1: key column 'k' is null",
        "TIME '10:00:00.000001' | 1: column 'k'",
        "TIME '24:00:00' | 1: column 'k': 24:00:00 is not a time of day",
        "chr(65)[1:0] | 1: key is 0 bytes long",
      })
  void refusesRowsByNumber(String expression, String message) throws IOException {
    assertThat(rows("SELECT " + expression + " AS k, 1 AS v", "k"))
        .singleElement()
        .asString()
        .startsWith(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "COPY (SELECT 1) TO '%s/written'",
        "CREATE TABLE t AS SELECT 1",
        "ATTACH '%s/written' AS a",
        "INSTALL httpfs",
        "SET memory_limit = '1TB'",
        "PRAGMA database_list",
        "SELECT 1; COPY (SELECT 1) TO '%s/written'",
        "SELECT 1) q; COPY (SELECT 1) TO '%s/written'; SELECT * FROM (SELECT 1",
        "WITH x AS (COPY (SELECT 1) TO '%s/written') SELECT * FROM x",
        "SELECT * FROM (WITH x AS (COPY (SELECT 1) TO '%s/written') SELECT * FROM x)",
        "",
        "SELEC 1",
        "SELECT nope FROM range(1)",
        "SELECT nope(1)",
      })
  void refusesWhatIsNotOneSelect(String sql) {
    assertThatThrownBy(() -> rows(sql.formatted(directory), "k"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(directory.resolve("written")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT 1 AS k;",
        "SELECT 1 AS k ; ; ",
        "SELECT 1 AS k; -- one; of them",
        "SELECT 1 AS k; /* the end; */ ; -- really",
        "-- first; a comment\nSELECT 1 AS k -- here; too\n;\n",
        "SELECT CAST(length('; -- x') - 5 AS INTEGER) AS k",
        "SELECT $$;$$ = '; /* ' AS no, 1 AS k /* ; */",
      })
  void commentsMayFollowTheEnd(String sql) throws Exception {
    List<Column> columns = engine.query(sql).columns();
    assertThat(columns.get(columns.size() - 1).name()).isEqualTo("k");
  }

  @Test
  void namesWhatIsNoSelect() {
    assertThatThrownBy(() -> engine.query("copy (SELECT 1) TO 'x'"))
        .hasMessage("a query is a SELECT, which reads and does not write; not COPY");
    assertThatThrownBy(() -> engine.query("SELECT 1; INSTALL httpfs"))
        .hasMessage("a query is one SELECT; leave out the statement after it");
    assertThatThrownBy(() -> engine.query("SELECT 1; SELECT 2"))
        .hasMessage("one SELECT is a query; actual statements: 2");
    assertThatThrownBy(() -> engine.query("SELECT id FROM (SELECT 1 AS k)"))
        .hasMessageContaining("\"id\" not found");
  }

  @Test
  void neverConfiguresDuckDbByAQuery() {
    assertThatThrownBy(
            () ->
                rows(
                    "SELECT * FROM enable_logging('QueryLog', storage_path='%s/written')"
                        .formatted(directory),
                    "k"))
        .hasMessageContaining("the configuration has been locked");
    assertThat(directory.resolve("written")).doesNotExist();
  }

  @Test
  void loadsNoExtension() {
    assertThatThrownBy(() -> rows("SELECT * FROM 's3://bucket/file.parquet'", "k"))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "Missing Extension Error: File s3://bucket/file.parquet requires the extension httpfs"
                + " to be loaded; bsdb loads no extensions of DuckDB: copy the file");
  }

  @Test
  void takesCommentsSemicolonsAndOrder() throws IOException {
    assertThat(rows("SELECT i AS k FROM range(3) t(i) ORDER BY i DESC -- the end", "k"))
        .containsExactly("{\"k\":2}", "{\"k\":1}", "{\"k\":0}");
    assertThat(rows("WITH a AS (SELECT 1 AS k) FROM a ; ", "k")).containsExactly("{\"k\":1}");
  }

  /** A stream of chunks just ends where its query fails. */
  @Test
  void neverTakesTheFirstRowsForAll() throws IOException {
    SqlQuery query =
        engine.query(
            "SELECT CASE WHEN i > 9000000 THEN CAST('x' || i AS BIGINT) ELSE i END AS k"
                + " FROM range(10000000) t(i)");
    Schema schema = Schema.of(query.columns(), List.of("k"));

    assertThatThrownBy(
            () ->
                query.read(
                    schema,
                    null,
                    new RecordSink() {
                      @Override
                      public void add(
                          byte[] bytes, int keyOffset, int keyLength, int valueLength, long row) {}

                      @Override
                      public void refuse(long row, String reason) {
                        throw new AssertionError(reason);
                      }
                    }))
        .isInstanceOf(IOException.class)
        .hasMessageMatching("after row \\S+: Conversion Error: Could not convert string 'x.*");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMPTZ"})
  void refusesRowsWithInfiniteTimes(String type) throws IOException {
    refusesInfinity(type);
  }

  @Test
  void refusesRowsWithInfiniteDates() throws IOException {
    refusesInfinity("DATE");
  }

  private void refusesInfinity(String type) throws IOException {
    String sql =
        "SELECT * FROM (VALUES (CAST('infinity' AS %1$s), 1), (CAST('-infinity' AS %1$s), 2))"
                .formatted(type)
            + " v(\"it's\", k)";
    String refused = "column 'it's': an infinite date or time cannot be stored";
    for (String key : List.of("k", "it's")) {
      assertThat(rows(sql, key)).containsExactly("1: " + refused, "2: " + refused);
    }
    assertThat(rows("SELECT 1 AS k, [CAST('infinity' AS " + type + ")] AS v", "k"))
        .singleElement()
        .asString()
        .startsWith("1: 'infinity' is not a value of `v` ");
  }

  @Test
  void refusesWhatDoesNotFitTheMemory() {
    assertThatThrownBy(
            () ->
                rows(
                    "SELECT i AS k, (SELECT list(j) FROM range(50000000) s(j)) AS v FROM range(1) t(i)",
                    "k"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Out of Memory Error")
        .hasMessageEndingWith("; give more with --memory");
  }

  @Test
  void namesTheDirectoryThatIsFull() throws Exception {
    Path full = directory.resolve("full");
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute("SET memory_limit = '16MiB'");
      statement.execute("SET temp_directory = '" + full + "'");
      statement.execute("SET max_temp_directory_size = '1MiB'");
      SqlQuery query =
          SqlQuery.prepare(
              connection, full, "SELECT i AS k FROM range(3000000) t(i) ORDER BY hash(i)");
      assertThatThrownBy(() -> rows(query, "k"))
          .isInstanceOf(QueryException.class)
          .hasMessageStartingWith("temporary files do not fit into %s: ", full)
          .hasMessageEndingWith(" used); make room there, or name another directory with --temp");
    }
  }

  @Test
  void endsAQueryWhoseRowsNobodyTakes() throws IOException {
    SqlQuery query = engine.query("SELECT i AS k FROM range(1000000000000) t(i)");
    Schema schema = Schema.of(query.columns(), List.of("k"));

    assertThatThrownBy(
            () ->
                query.read(
                    schema,
                    null,
                    new RecordSink() {
                      @Override
                      public void add(
                          byte[] bytes, int keyOffset, int keyLength, int valueLength, long row)
                          throws IOException {
                        throw new IOException("no room at row " + row);
                      }

                      @Override
                      public void refuse(long row, String reason) {
                        throw new AssertionError(reason);
                      }
                    }))
        .isExactlyInstanceOf(IOException.class)
        .hasMessage("no room at row 1");
  }

  @Test
  void readsAFileWhoseNameIsAPattern() throws IOException {
    Path parquet = directory.resolve("a[1]*'?.parquet");
    Files.write(parquet, Parquet.of("SELECT 7 AS k"));

    assertThat(engine.parquet(parquet).columns()).containsExactly(Column.of("k", "INT"));
    assertThat(engine.parquetRows(parquet)).isEqualTo(1);
  }

  @Test
  void readsNoValuesFromTheNamesOfDirectories() throws IOException {
    Path parquet = Files.createDirectories(directory.resolve("k=5/day=1")).resolve("a.parquet");
    Files.write(parquet, Parquet.of("SELECT 7 AS k"));

    assertThat(rows(engine.parquet(parquet), "k")).containsExactly("{\"k\":7}");
    assertThat(rows(engine.parquet(parquet, List.of("k")), "k")).containsExactly("{\"k\":7}");
  }
}
