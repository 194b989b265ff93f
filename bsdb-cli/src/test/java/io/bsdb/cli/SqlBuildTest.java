package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables of queries and Parquet files, and back. */
class SqlBuildTest {
  private static final String ROWS =
      "SELECT i AS id, CASE WHEN i % 3 > 0 THEN 'näme ' || i END AS name,"
          + " CAST(i AS DECIMAL(9,2)) / 8 AS price, TIMESTAMP '2026-01-01 00:00:00.123456' AS seen,"
          + " [i, NULL] AS l, TIME '01:02:03' AS t FROM range(5000) r(i)";

  @TempDir private Path directory;
  private Path table;

  @BeforeEach
  void setUp() {
    table = directory.resolve("t");
  }

  private CommandRun build(Object... more) {
    Object[] arguments = Arrays.copyOf(new Object[] {"build", "-t", table}, 3 + more.length);
    System.arraycopy(more, 0, arguments, 3, more.length);
    return CommandRun.of(arguments);
  }

  /** Writes a Parquet file: a table of the query, scanned. */
  private Path parquet(String name, String query, String key) {
    Path source = directory.resolve("source-of-" + name);
    Path file = directory.resolve(name);
    assertThat(CommandRun.of("build", "-t", source, "--key", key, "--query", query).err())
        .contains("is in service");
    CommandRun scan = CommandRun.of("scan", "-t", source, "--format", "parquet", "-o", file);
    assertThat(scan.status()).as(scan.err()).isZero();
    return file;
  }

  @Test
  void buildsTheRowsOfAQuery() throws IOException {
    Files.writeString(directory.resolve("a.csv"), "code,n\nx,1\ny,2\n");
    String query = "SELECT code, n * 10 AS tens FROM '%s/*.csv'".formatted(directory);

    CommandRun build = build("--query", query, "--key", "code", "--verify", "--verify-input");

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(build.err())
        .contains("schema: (`code` STRING NOT NULL, `tens` BIGINT, PRIMARY KEY (`code`))");
    assertThat(CommandRun.of("get", "-t", table, "--", "y").out())
        .isEqualTo("y\t{\"code\": \"y\", \"tens\": 20}\n");
  }

  @Test
  void readsParquetThatItHasWritten() {
    Path first = parquet("1.parquet", ROWS, "id");
    Path second =
        parquet("2.parquet", ROWS.replace("SELECT i AS id", "SELECT i + 5000 AS id"), "id");

    CommandRun build =
        build("--format", "parquet", "-i", first, second, "--key", "id", "--verify-input");

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(build.out()).contains("records=10000");
    assertThat(CommandRun.of("get", "-t", table, "--", "5007").out())
        .isEqualTo(
            "5007\t{\"id\": 5007, \"name\": \"näme 7\", \"price\": 0.875, \"seen\":"
                + " \"2026-01-01T00:00:00.123456\", \"l\": [7, null], \"t\": \"01:02:03\"}\n");
    assertThat(CommandRun.of("get", "-t", table, "--", "5001").err()).isEmpty();
  }

  @Test
  void refusesAQueryThatIsNoSelect() {
    Path written = directory.resolve("written");

    CommandRun build = build("--key", "a", "--query", "COPY (SELECT 1) TO '%s'".formatted(written));

    assertThat(build.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(build.err())
        .isEqualTo("bsdb: a query is a SELECT, which reads and does not write; not COPY\n");
    assertThat(written).doesNotExist();
    assertThat(table).doesNotExist();
  }

  @Test
  void refusesFilesThatAreNotThereOrDamaged() throws IOException {
    Path whole = parquet("whole.parquet", ROWS, "id");
    byte[] bytes = Files.readAllBytes(whole);
    Path cut = Files.write(directory.resolve("cut.parquet"), Arrays.copyOf(bytes, 1000));
    for (int i = 100; i < bytes.length - 2000; i++) {
      bytes[i] ^= 0x5A;
    }
    Path damaged = Files.write(directory.resolve("damaged.parquet"), bytes);

    CommandRun none = build("--key", "a", "--query", "FROM '%s/x.parquet'".formatted(directory));
    assertThat(none.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(none.err()).contains("No files found that match the pattern");
    byte[] withoutColumns = Files.readAllBytes(whole);
    Arrays.fill(withoutColumns, bytes.length - 300, bytes.length - 10, (byte) 0x5A);
    Path footer = Files.write(directory.resolve("footer.parquet"), withoutColumns);
    CommandRun unknown = build("--format", "parquet", "-i", footer, "--key", "id");
    assertThat(unknown.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(unknown.err()).startsWith("bsdb: cannot read " + footer + ": ").hasLineCount(1);
    CommandRun shortened = build("--format", "parquet", "-i", cut, "--key", "id");
    assertThat(shortened.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(shortened.err()).contains("cut.parquet");
    CommandRun changed = build("--format", "parquet", "-i", damaged, "--key", "id");
    assertThat(changed.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(changed.err()).contains("cannot read " + damaged);
    assertThat(CommandRun.of("versions", "-t", table).out()).isEmpty();
  }

  @Test
  void refusesKeysThatAreNoneByRow() {
    String nulls = "SELECT nullif(i, 4000) AS id FROM range(5000) r(i)";

    CommandRun refused = build("--query", nulls, "--key", "id");
    assertThat(refused.status()).isEqualTo(ExitStatus.NO);
    assertThat(refused.err()).contains("bsdb: query:4001: key column 'id' is null");
    CommandRun skipped = build("--query", nulls, "--key", "id", "--on-bad-line", "skip");
    assertThat(skipped.out()).contains("records=4999 ").contains("skipped=1");

    CommandRun twice = build("--query", "SELECT i // 2 AS id FROM range(9) r(i)", "--key", "id");
    assertThat(twice.status()).isEqualTo(ExitStatus.NO);
    assertThat(twice.err())
        .containsPattern(
            "duplicate key '\\{\"id\": [0-3]}': query:[1357] and query:[2468]; --duplicates");
    CommandRun noColumn = build("--query", "SELECT 1 AS id", "--key", "code");
    assertThat(noColumn.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(noColumn.err())
        .isEqualTo(
            "bsdb: primary key column 'code' is not a column; --key names columns of [`id` INT]\n");
  }

  @Test
  void keepsTheOrderOfAQueryForDuplicates() {
    String query = "SELECT i %% 7 AS id, i AS n FROM range(200000) r(i) ORDER BY i %s";

    build("--query", query.formatted(""), "--key", "id", "--duplicates", "last", "--verify-input");
    assertThat(CommandRun.of("get", "-t", table, "--", "0").out()).contains("\"n\": 199997");
    CommandRun build =
        build("--query", query.formatted("DESC"), "--key", "id", "--duplicates", "last");
    assertThat(build.err()).contains("7 records");
    assertThat(CommandRun.of("get", "-t", table, "--", "0").out()).contains("\"n\": 0}");
  }

  @Test
  void refusesTypesAndFilesThatDoNotFitEachOther() {
    CommandRun type = build("--query", "SELECT 1 AS id, sum(1) AS total", "--key", "id");
    assertThat(type.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(type.err()).contains("column 'total' is of type HUGEINT, which tables do not have");

    Path first = parquet("1.parquet", "SELECT 1 AS id, 'a' AS v", "id");
    Path other = parquet("2.parquet", "SELECT 2 AS id, 7 AS v", "id");
    CommandRun files = build("--format", "parquet", "-i", first, other, "--key", "id");
    assertThat(files.status()).isEqualTo(ExitStatus.NO);
    assertThat(files.err())
        .contains("2.parquet: column 'v' is INT, in the first file it is STRING");
    Path more = parquet("3.parquet", "SELECT 3 AS id, 'c' AS v, 'd' AS w", "id");
    CommandRun columns = build("--format", "parquet", "-i", first, more, "--key", "id");
    assertThat(columns.status()).isEqualTo(ExitStatus.NO);
    assertThat(columns.err())
        .contains("3.parquet: column 'w' is not in the first file, which has [id, v]");
    CommandRun fewer = build("--format", "parquet", "-i", more, first, "--key", "id");
    assertThat(fewer.status()).isEqualTo(ExitStatus.NO);
    assertThat(fewer.err())
        .contains("1.parquet: column 'w' of the first file is missing; this file has [id, v]");
    // DuckDB answers both with values that are not in the file.
    for (String name : List.of("filename", "current_date")) {
      Path named = parquet("4.parquet", "SELECT 4 AS id, 'e' AS \"" + name + "\"", "id");
      Path without = parquet("5.parquet", "SELECT 5 AS id", "id");
      CommandRun madeUp = build("--format", "parquet", "-i", named, without, "--key", "id");
      assertThat(madeUp.status()).isEqualTo(ExitStatus.NO);
      assertThat(madeUp.err()).contains("column '" + name + "' of the first file is missing");
    }
  }

  @Test
  void keepsNestedNumbersAsTheyAre() throws IOException {
    String query = "SELECT 1 AS id, {'zero': '-0.0'::DOUBLE, 'large': 1e300::DOUBLE} AS r";
    Path file = parquet("nested.parquet", query, "id");
    assertThat(build("--format", "parquet", "-i", file, "--key", "id").status()).isZero();

    assertThat(CommandRun.of("scan", "-t", table).out())
        .isEqualTo("{\"id\": 1, \"r\": {\"zero\": -0.0, \"large\": 1.0E300}}\n");
    assertThat(CommandRun.of("scan", "-t", table, "--format", "csv").out())
        .endsWith("1,\"{\"\"zero\"\":-0.0,\"\"large\"\":1.0E300}\"\n");
  }

  @Test
  void keepsNestedValuesThatJsonDoesNotHave() {
    String query =
        "SELECT 1 AS id, {'late': DATE '12026-01-01', 'early': [TIMESTAMP '-44-03-15 00:00:00'],"
            + " 'huge': 12345678901234567.89::DECIMAL(38, 2), 'bytes': '\\x00\\xFFa'::BLOB} AS r";
    Path file = parquet("nested.parquet", query, "id");
    CommandRun build = build("--format", "parquet", "-i", file, "--key", "id");

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(CommandRun.of("scan", "-t", table).out())
        .isEqualTo(
            "{\"id\": 1, \"r\": {\"late\": \"+12026-01-01\", \"early\": [\"-0044-03-15T00:00:00\"],"
                + " \"huge\": 12345678901234567.89, \"bytes\": \"AP9h\"}}\n");
  }

  @Test
  void tellsNamesThatDifferOnlyInCase() {
    build("--query", "SELECT 1 AS a, 2 AS \"A\"", "--key", "a", "--verify-input");

    assertThat(CommandRun.of("scan", "-t", table).out()).isEqualTo("{\"a\": 1, \"A\": 2}\n");
    Path file = directory.resolve("rows.parquet");
    CommandRun scan = CommandRun.of("scan", "-t", table, "--format", "parquet", "-o", file);
    assertThat(scan.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(scan.err()).startsWith("bsdb: column 'A' has a name, 'A', like another but for");
  }

  @Test
  void writesTimesOfAnyYearToParquetOrNamesTheirColumn() throws IOException {
    String query =
        "SELECT 1 AS id, DATE '12026-01-01' AS d, TIMESTAMP '12026-01-01 00:00:00' AS t,"
            + " DATE '-44-03-15' AS before_christ";
    Path file = parquet("years.parquet", query, "id");
    assertThat(build("--format", "parquet", "-i", file, "--key", "id").status()).isZero();
    assertThat(CommandRun.of("scan", "-t", table).out())
        .isEqualTo(
            "{\"id\": 1, \"d\": \"+12026-01-01\", \"t\": \"+12026-01-01T00:00:00\","
                + " \"before_christ\": \"-0044-03-15\"}\n");

    Path rows =
        Files.writeString(directory.resolve("rows"), "{\"id\":1,\"n\":\"1500-01-01T00:00\"}\n");
    build("--schema", "id INT, n TIMESTAMP(9)", "--format", "jsonl", "-i", rows, "--key", "id");
    CommandRun scan = CommandRun.of("scan", "-t", table, "--format", "parquet", "-o", file);
    assertThat(scan.status()).isEqualTo(ExitStatus.NO);
    assertThat(scan.err())
        .contains("column 'n' has 1500-01-01T00:00, outside of 1677-")
        .hasLineCount(1);
  }

  @Test
  void refusesTextThatIsNotUtf8() throws IOException {
    Path file = parquet("text.parquet", "SELECT 1 AS id, 'Qame' AS name", "id");
    String bytes = Files.readString(file, StandardCharsets.ISO_8859_1).replace("Qame", "\u00ffame");
    Files.writeString(file, bytes, StandardCharsets.ISO_8859_1);

    CommandRun build = build("--format", "parquet", "-i", file, "--key", "id");

    assertThat(build.status()).as(build.err()).isEqualTo(ExitStatus.NO);
    assertThat(build.err())
        .contains("bsdb: " + file + ": ", "is not valid UTF8")
        .doesNotContain("Exception");
  }

  @Test
  void refusesInfiniteDates() throws Exception {
    String query = "SELECT 1 AS id, DATE 'infinity' AS d";
    Path file = directory.resolve("infinite.parquet");
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute("COPY (%s) TO '%s' (FORMAT parquet)".formatted(query, file));
    }

    for (CommandRun build :
        List.of(
            build("--query", query, "--key", "id"),
            build("--format", "parquet", "-i", file, "--key", "id"))) {
      assertThat(build.status()).as(build.err()).isEqualTo(ExitStatus.NO);
      assertThat(build.err()).contains("column 'd': an infinite date or time cannot be stored");
    }
  }

  @Test
  void skipsRowsWithInfiniteDates() {
    String query = "SELECT * FROM (VALUES (1, DATE 'infinity'), (2, DATE '2026-01-02')) v(id, d)";

    CommandRun build = build("--query", query, "--key", "id", "--on-bad-line", "skip");

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(build.err()).contains("column 'd': an infinite date or time cannot be stored");
    assertThat(CommandRun.of("scan", "-t", table).out())
        .isEqualTo("{\"id\": 2, \"d\": \"2026-01-02\"}\n");
  }

  @Test
  void refusesToWriteParquetInItsOwnWords() throws IOException {
    build("--query", "SELECT 1 AS id", "--key", "id", "--approximate");
    Path file = directory.resolve("keys.parquet");

    CommandRun scan = CommandRun.of("scan", "-t", table, "--format", "parquet", "-o", file);
    assertThat(scan.status()).isEqualTo(ExitStatus.NO);
    assertThat(scan.err())
        .isEqualTo("bsdb: the table is approximate: it stores no keys to print\n");
    build("--query", "SELECT 1 AS id, MAP {[1]: 2} AS m", "--key", "id");
    assertThat(CommandRun.of("scan", "-t", table, "--format", "parquet", "-o", file).err())
        .startsWith("bsdb: column 'm' has a map with nested keys, which cannot be written to");
    Path none = directory.resolve("no/such/directory");
    assertThat(CommandRun.of("scan", "-t", table, "--format", "parquet", "-o", none).err())
        .doesNotContain("LINE");
    build("--query", "SELECT 1 AS id", "--key", "id");
    Path empty = Files.createDirectory(directory.resolve("empty"));
    assertThat(CommandRun.of("scan", "-t", table, "--format", "parquet", "-o", empty).status())
        .isEqualTo(ExitStatus.UNREADABLE);
    assertThat(empty).isEmptyDirectory();
    assertThat(directory).isDirectoryNotContaining("glob:**.part");
  }

  @Test
  void endsWithinItsMemory() {
    CommandRun build =
        build(
            CommandRun.words(
                "--query %s --key id --memory 64M",
                "SELECT 1 AS id, list(i) AS l FROM range(100000000) r(i)"));

    assertThat(build.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(build.err()).contains("Out of Memory Error").contains("give more with --memory");
  }

  @Test
  void refusesOptionsOfOtherInputs() {
    assertThat(build("--query", "SELECT 1 AS id", "--key", "id", "-i", "x").err())
        .contains("--query names its files itself");
    assertThat(build("--query", "SELECT 1 AS id").err()).contains("rows need --key");
    assertThat(build("--query", "SELECT 1 AS id", "--key", "id", "--schema", "id INT").err())
        .contains("--schema is for csv and jsonl");
    assertThat(build("--format", "parquet", "-i", "-", "--key", "id").err())
        .contains("Parquet is read from files; this is none: (standard input)");
    assertThat(build("--key", "id").err())
        .startsWith("bsdb: Missing required option: '--input=FILE|DIR|-', or --query");
  }

  @Test
  void buildsTheRowsOfADatabase() throws Exception {
    String rows =
        "SELECT i AS id, CAST(i AS SMALLINT) AS small, CAST(i % 2 AS BOOLEAN) AS odd,"
            + " CASE WHEN i % 3 > 0 THEN 'näme ' || i END AS name, CAST(i AS REAL) AS r,"
            + " CAST(i / 8 AS DECIMAL(9, 2)) AS price, DATE '2026-01-01' + CAST(i AS INTEGER) AS day,"
            + " TIME '01:02:03' AS t, TIMESTAMP '2026-01-01 00:00:00.123456' AS seen,"
            + " CASE WHEN i > 9 THEN TIMESTAMPTZ '2026-01-01 00:00:00+01' END AS zoned,"
            + " CASE WHEN i > 9 THEN i END AS big, encode('b' || i) AS bytes,"
            + " '10.0.0.' || i AS address FROM range(1200) r(i)";
    rows = rows.replace("'10.0.0.' || i", "'10.0.0.' || (i % 256)");
    String url = "jdbc:duckdb:" + directory.resolve("database");
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t AS " + rows);
    }
    Path login = Files.writeString(directory.resolve("login"), "user=bsdb\npassword=secret\n");
    CommandRun build =
        build(
            CommandRun.words(
                "--jdbc %s --jdbc-properties %s --query %s --key id --ip address --verify-input",
                url, login, "SELECT * FROM t"));
    assertThat(build.status()).as(build.err()).isZero();
    String byJdbc = CommandRun.of("scan", "-t", table).out();
    Path other = directory.resolve("other");
    assertThat(
            CommandRun.of("build", "-t", other, "--query", rows, "--key", "id", "--ip", "address")
                .status())
        .isZero();
    assertThat(byJdbc.lines().sorted())
        .containsExactlyElementsOf(
            CommandRun.of("scan", "-t", other).out().lines().sorted().toList());
    assertThat(build.err())
        .contains("`price` DECIMAL(9, 2), `day` DATE", "`zoned` TIMESTAMP_LTZ(6)", "`address` IP");
  }

  @Test
  void saysWhatIsWrongWithADatabase() {
    String url = "jdbc:duckdb:" + directory.resolve("database");
    assertRefused(2, "no JDBC driver on the class path", "--jdbc", "jdbc:no:secret");
    assertRefused(3, "cannot read query: the database cannot be reached", "--jdbc", url + "/x");
    assertRefused(3, "cannot read query: ", "--jdbc", url);
    assertRefused(2, "--jdbc needs --query", "--jdbc-properties", "login");
    CommandRun list = build("--jdbc", url, "--query", "SELECT 1 AS id, [1] AS l", "--key", "id");
    assertThat(list.status()).isEqualTo(2);
    assertThat(list.err()).contains("column 'l': tables have no type for ").contains("CAST it");
  }

  private void assertRefused(int status, String message, String... options) {
    CommandRun run =
        build(
            Stream.concat(
                    Stream.of("--query", "SELECT * FROM nothing", "--key", "id"),
                    Stream.of(options))
                .toArray());
    assertThat(run.err()).contains(message).doesNotContain("secret");
    assertThat(run.status()).isEqualTo(status);
  }
}
