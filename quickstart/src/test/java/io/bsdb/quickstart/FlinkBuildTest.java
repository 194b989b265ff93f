package io.bsdb.quickstart;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.Validity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Builds in Flink, whose jars are those of the examples. */
class FlinkBuildTest {
  @TempDir private Path directory;
  private Path table;
  private Path script;

  @BeforeEach
  void setUp() throws IOException {
    table = directory.resolve("t");
    script = directory.resolve("build.sql");
    Files.writeString(directory.resolve("in.csv"), "1,rose\n2,violet\n");
  }

  private CommandRun build(String sql, Object... more) throws IOException {
    Files.writeString(script, sql);
    Object[] arguments = new Object[9 + more.length];
    System.arraycopy(
        new Object[] {"build", "-t", table, "--engine", "flink", "--sql", script, "--key", "id"},
        0,
        arguments,
        0,
        9);
    System.arraycopy(more, 0, arguments, 9, more.length);
    return CommandRun.of(arguments);
  }

  @Test
  void buildsTheRowsOfTheLastStatement() throws IOException {
    CommandRun build =
        build(
            """
            CREATE TABLE flowers (id INT, name STRING) WITH (
              'connector' = 'filesystem', 'path' = '%s', 'format' = 'csv');
            SELECT * FROM flowers;
            """
                .formatted(directory.resolve("in.csv").toUri()),
            "--classpath",
            System.getProperty("java.class.path"),
            "--signature-bits",
            "12",
            "--verify");

    assertThat(build.status()).as(build.err()).isZero();
    assertThat(build.out()).contains("records=2 ");
    assertThat(CommandRun.of("get", "-t", table, "--", "2").out())
        .isEqualTo("2\t{\"id\": 2, \"name\": \"violet\"}\n");
    assertThat(CommandRun.of("inspect", "-t", table).out()).contains("12");
  }

  @Test
  void buildsTheSameHistoryAsTheBuiltInEngine() throws IOException {
    Path input = directory.resolve("prices.csv");
    Files.writeString(
        input,
        """
        bread,320,2020-01-01T00:00:00,false
        bread,,2020-02-01T00:00:00,true
        bread,350,2020-03-01T00:00:00,false
        milk,140,1969-02-01T00:00:00,false
        milk,,2020-03-01T00:00:00,true
        salt,90,2020-05-01T00:00:00,
        """);
    // A row at the end of a partition stays, whatever replaces it in the next one.
    Object[] common = {"build", "--history=1d", "--partitions", "1", "--key", "item,since", "-t"};
    Path builtIn = directory.resolve("built-in");
    CommandRun local =
        run(
            common,
            builtIn,
            "--schema",
            "item STRING, price INT, since TIMESTAMP(3), ended BOOLEAN",
            "--format",
            "csv",
            "--no-header",
            "-i",
            input);
    assertThat(local.status()).as(local.err()).isZero();
    Files.writeString(
        script,
        """
        CREATE TABLE prices (item STRING, price INT, since STRING, ended BOOLEAN) WITH (
          'connector' = 'filesystem', 'path' = '%s', 'format' = 'csv', 'csv.null-literal' = '');
        SELECT item, price, TO_TIMESTAMP(since, 'yyyy-MM-dd''T''HH:mm:ss') AS since, ended FROM prices
        """
            .formatted(input.toUri()));
    CommandRun flink =
        run(
            common,
            table,
            "--engine",
            "flink",
            "--sql",
            script,
            "--classpath",
            System.getProperty("java.class.path"));

    assertThat(flink.status()).as(flink.err()).isZero();
    String rows = CommandRun.of("scan", "-t", builtIn, "--history").out();
    assertThat(rows.lines()).hasSize(3);
    assertThat(rows)
        .contains(
            "{\"item\": \"milk\", \"price\": null, \"since\": \"2020-03-01T00:00:00\", \"ended\": true}");
    assertThat(CommandRun.of("scan", "-t", table, "--history").out()).isEqualTo(rows);
    assertThat(schemaAndRetention(table)).isEqualTo(schemaAndRetention(builtIn));
  }

  private static CommandRun run(Object[] first, Object... more) {
    return CommandRun.of(Stream.concat(Stream.of(first), Stream.of(more)).toArray());
  }

  private static List<Object> schemaAndRetention(Path table) throws IOException {
    Table opened = Table.at(table);
    Manifest manifest = opened.manifest(opened.requireCurrentVersion());
    Validity validity = Objects.requireNonNull(manifest.validity());
    return Arrays.asList(manifest.schema(), validity.retention(), validity.horizon() == null);
  }

  @Test
  void saysWhatIsWrongWithAScript() throws IOException {
    Object[] flink = {"--classpath", System.getProperty("java.class.path")};

    CommandRun noSelect = build("CREATE TABLE x (a INT)", flink);
    assertThat(noSelect.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(noSelect.err())
        .contains(script + ": the last statement must be a SELECT: its rows become the table");
    CommandRun unknown = build("SELECT * FROM nowhere", flink);
    assertThat(unknown.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(unknown.err()).contains(script + ": Flink: ").contains("nowhere");
    assertThat(build("SELECT 1 AS id", "--classpath", directory.resolve("none")).err())
        .contains("--classpath names what is not there: ");
  }

  @Test
  void saysWhereFlinkIsToCome() throws IOException {
    CommandRun home = build("SELECT 1 AS id", "--flink-home", directory);
    assertThat(home.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(home.err()).isEqualTo("bsdb: no Flink in " + directory + ": it has no lib/*.jar\n");
    CommandRun none = build("SELECT 1 AS id");
    assertThat(none.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(none.err()).contains("on the class path");
  }

  @Test
  void refusesOptionsOfTheOtherEngine() throws IOException {
    assertThat(build("SELECT 1 AS id", "--query", "SELECT 1").err())
        .contains("--engine flink reads what --sql selects");
    assertThat(build("SELECT 1 AS id", "--dictionary-size", "1K").err())
        .contains("--engine flink has no such option: dictionary-size");
    assertThat(CommandRun.of("build", "-t", table, "--engine", "flink", "--key", "id").err())
        .contains("--engine flink needs --sql and --key");
    assertThat(CommandRun.of("build", "-t", table, "-i", script, "--sql", script).err())
        .contains("--sql, --flink-home and --classpath are for --engine flink");
  }
}
