package io.bsdb.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import io.bsdb.table.manifest.Validity;
import io.bsdb.testkit.InService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Builds and changes of tables with a history on the command line. */
class HistoryBuildTest {
  private static final String PRICES =
      """
      item,price,at
      bread,320,2026-01-01T00:00:00Z
      bread,350,2026-02-01T00:00:00Z
      milk,140,2026-02-01T00:00:00Z
      """;

  @TempDir private Path directory;

  private CommandRun run(String input, Object... arguments) {
    List<Object> all = new ArrayList<>(List.of(arguments));
    all.addAll(1, List.of("--table", directory));
    return CommandRun.withInput(input.getBytes(UTF_8), all.toArray());
  }

  private CommandRun build(String history, Object... more) {
    List<Object> arguments = new ArrayList<>(List.of("build", history, "--input", "-"));
    arguments.addAll(List.of("--format", "csv", "--key", "item,at"));
    arguments.addAll(List.of("--schema", "item STRING, price INT, at TIMESTAMP_LTZ(3)"));
    arguments.addAll(List.of(more));
    return run(PRICES, arguments.toArray());
  }

  private static CommandRun succeeds(CommandRun run) {
    assertThat(run.status()).as(run.err()).isEqualTo(ExitStatus.OK);
    return run;
  }

  private List<String> history() {
    return succeeds(run("", "scan", "--history", "--format", "csv")).out().lines().skip(1).toList();
  }

  @Test
  void buildsAHistoryInKeyOrder() throws IOException {
    succeeds(build("--history"));
    assertThat(InService.of(directory).validity()).isEqualTo(Validity.FOREVER);
    assertThat(history()).hasSize(3).first().isEqualTo("bread,320,2026-01-01T00:00:00Z,false");
    assertThat(succeeds(run("", "inspect")).out())
        .containsPattern("order +by key, with a history, replaced rows kept forever\n");
    assertThat(succeeds(run("", "inspect", "--json")).out())
        .contains("\"order\":\"history\",\"retention\":null,\"horizon\":null");
    assertThat(succeeds(run("", "versions")).out())
        .endsWith("  with a history, replaced rows kept forever\n");
    succeeds(run("", "verify"));
  }

  @Test
  void leavesOutWhatIsNoLongerKept() throws IOException {
    succeeds(build("--history=1d"));
    Validity validity = Objects.requireNonNull(InService.of(directory).validity());
    assertThat(validity.retention()).isEqualTo(Duration.ofDays(1));
    Instant horizon = Objects.requireNonNull(validity.horizon());
    assertThat(history())
        .containsExactly(
            "bread,350,2026-02-01T00:00:00Z,false", "milk,140,2026-02-01T00:00:00Z,false");
    String text = "with a history, replaced rows kept for 1d, complete from " + horizon + " on";
    assertThat(succeeds(run("", "inspect")).out()).contains("by key, " + text);
    assertThat(succeeds(run("", "versions")).out()).endsWith("  " + text + "\n");
    assertThat(succeeds(run("", "versions", "--json")).out())
        .contains("\"retention\":\"PT24H\",\"horizon\":\"" + horizon + "\"");

    succeeds(
        run("op,item,at\nd,milk,2026-03-01T00:00:00Z\n", "apply", "-i", "-", "--format", "csv"));
    succeeds(run("", "compact", "--all"));
    assertThat(history()).endsWith("milk,,2026-03-01T00:00:00Z,true").hasSize(2);
  }

  @Test
  void strictLookupsAreRefusedBeforeTheHorizon() throws IOException {
    succeeds(build("--history=1d"));
    Instant horizon =
        Objects.requireNonNull(
            Objects.requireNonNull(InService.of(directory).validity()).horizon());
    Instant before = horizon.minusMillis(1);

    CommandRun refused = run("", "get", "--strict", "--as-of", before, "--", "bread", "milk");
    assertThat(refused.status()).isEqualTo(ExitStatus.NO);
    assertThat(refused.out()).isEmpty();
    assertThat(refused.err())
        .contains("rows that were valid at " + before + " may have been dropped")
        .contains("the horizon of the history is " + horizon + ", and its retention 1d;");
    succeeds(run("", "get", "--as-of", before, "--", "bread", "milk"));
    assertThat(succeeds(run("", "get", "--strict", "--as-of", horizon, "--", "bread")).out())
        .contains("\"price\": 350");

    CommandRun noTime = run("", "get", "--strict", "--floor", "--", "bread," + horizon);
    assertThat(noTime.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(noTime.err()).contains("--strict is for --as-of");
  }

  @Test
  void deletesOfAnInputEndRows() throws IOException {
    succeeds(build("--history"));
    String changes =
        """
        op,item,price,at
        u,milk,150,2026-03-01T00:00:00Z
        d,milk,,2026-04-01T00:00:00Z
        d,salt,,2026-04-01T00:00:00Z
        """;
    CommandRun apply = succeeds(run(changes, "apply", "-i", "-", "--format", "csv"));
    assertThat(apply.out()).endsWith(" puts=1 deletes=0 ended=2\n");
    assertThat(history())
        .containsSubsequence(
            "milk,150,2026-03-01T00:00:00Z,false",
            "milk,,2026-04-01T00:00:00Z,true",
            "salt,,2026-04-01T00:00:00Z,true");
    CommandRun asOf =
        run("", "get", "--as-of", "2026-05-01T00:00:00Z", "--", "milk", "bread", "salt");
    assertThat(asOf.out()).startsWith("milk\tnull\tnull\nbread\t{").endsWith("salt\tnull\tnull\n");
    succeeds(run("", "verify"));

    succeeds(run("", "delete", "--", "milk,2026-04-01T00:00:00Z"));
    assertThat(succeeds(run("", "get", "--as-of", "2026-05-01T00:00:00Z", "--", "milk")).out())
        .contains("\"price\": 150");
    CommandRun noTime = run("op,item\nd,milk\n", "apply", "-i", "-", "--format", "csv");
    assertThat(noTime.status()).isEqualTo(ExitStatus.NO);
    assertThat(noTime.err()).contains("no column 'at'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"csv", "json", "parquet", "query", "jdbc"})
  void endedRowsOfAScanAreBuiltAgain(String form, @TempDir Path other, @TempDir Path files)
      throws IOException {
    succeeds(build("--history"));
    String ends = "op,item,at\nd,milk,2026-03-01T00:00:00Z\nd,salt,1969-03-01T00:00:00Z\n";
    succeeds(run(ends, "apply", "-i", "-", "--format", "csv"));
    List<Object> build = new ArrayList<>(List.of("build", "-t", other, "--history"));
    build.addAll(List.of("--key", "item,at", "--verify-input"));
    boolean isText = form.equals("csv") || form.equals("json");
    Path file = files.resolve("rows.parquet");
    if (isText) {
      Files.writeString(file, succeeds(run("", "scan", "--history", "--format", form)).out());
      build.addAll(List.of("--format", form.equals("json") ? "jsonl" : form, "-i", file));
      build.addAll(List.of("--schema", "item STRING, price INT NOT NULL, at TIMESTAMP_LTZ(3)"));
    } else {
      succeeds(run("", "scan", "--history", "--format", "parquet", "-o", file));
      String query = "SELECT ended, * EXCLUDE (ended) FROM '" + file + "'";
      build.addAll(
          switch (form) {
            case "parquet" -> List.of("--format", form, "-i", file);
            case "query" -> List.of("--query", query);
            default -> List.of("--query", query, "--jdbc", "jdbc:duckdb:");
          });
    }

    CommandRun built = succeeds(CommandRun.of(build.toArray()));

    if (!isText) {
      assertThat(built.err()).doesNotContain("`ended`");
    }
    String rows = CommandRun.of("scan", "-t", other, "--history", "--format", "csv").out();
    assertThat(rows.lines().skip(1)).isEqualTo(history()).hasSize(5);
    assertThat(rows).contains("salt,,1969-03-01T00:00:00Z,true\n");
  }

  @Test
  void marksEndsBesideAColumnOfThatName() {
    String columns = "item STRING, ended BOOLEAN, at TIMESTAMP_LTZ(3), _ended BOOLEAN";
    String input =
        """
        item,ended,at,_ended
        bread,true,2026-01-01T00:00:00Z,
        bread,,2026-02-01T00:00:00Z,true
        """;
    Object[] build = {"build", "--history", "-i", "-", "--format", "csv", "--key", "item,at"};
    Object[] all = Stream.concat(Stream.of(build), Stream.of("--schema", columns)).toArray();
    succeeds(run(input, all));

    String scan = succeeds(run("", "scan", "--history", "--format", "csv")).out();
    assertThat(scan)
        .isEqualTo(
            """
            item,ended,at,_ended
            bread,true,2026-01-01T00:00:00Z,false
            bread,,2026-02-01T00:00:00Z,true
            """);

    Object[] withoutMark = all.clone();
    withoutMark[all.length - 1] = columns.replace(", _ended BOOLEAN", "");
    CommandRun refused = run(input, withoutMark);
    assertThat(refused.status()).isEqualTo(ExitStatus.NO);
    assertThat(refused.err())
        .contains("'ended' and '_ended' both show which rows are ended; if 'ended' is a column of");
    withoutMark[5] = "jsonl";
    String json = "{\"item\": \"a\", \"at\": \"2026-01-01T00:00:00Z\", \"_ended\": true}\n";
    assertThat(run(json, withoutMark).err()).contains("(standard input):1: 'ended' and '_ended'");
  }

  @Test
  void refusesEndsThatAreNeitherTrueNorFalse() {
    CommandRun run =
        run(
            "item,at,ended\nbread,2026-01-01T00:00:00Z,no\n",
            CommandRun.words(
                "build --history --input - --format csv --key item,at --schema %s",
                "item STRING, at TIMESTAMP_LTZ(3)"));
    assertThat(run.status()).isEqualTo(ExitStatus.NO);
    assertThat(run.err()).contains("(standard input):2: ").contains("'no'");
  }

  @Test
  void saysWhatItCannotBuild() {
    CommandRun order = build("--history", "--order", "hash");
    assertThat(order.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(order.err()).contains("a table with a history is in the order of its keys");
    CommandRun key = build("--history", "--key", "price");
    assertThat(key.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(key.err()).contains("a table with a history needs a primary key of two columns");
    CommandRun text = run("a b\n", "build", "--history", "--input", "-");
    assertThat(text.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(text.err()).contains("--history is for rows with a key that ends in a time");
    CommandRun age = build("--history=soon");
    assertThat(age.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(age.err()).contains("not a time: 'soon', expected a number and a unit, such as");
    CommandRun never = build("--history=0d");
    assertThat(never.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(never.err()).contains("retention of a history out of range");
    succeeds(build("--history"));
    CommandRun changes = build("--history", "--publish", "changes");
    assertThat(changes.status()).isEqualTo(ExitStatus.NO);
    assertThat(changes.err()).contains("history: rows that have been dropped");
  }
}
