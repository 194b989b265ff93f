package io.bsdb.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import io.bsdb.table.Table;
import io.bsdb.testkit.InService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ApplyCommandTest {
  private static final String ROWS = "id,name,pop\n1,Ulm,5\n2,Bonn,\n3,Kiel,7\n";

  @TempDir private Path directory;
  private Path text;
  private Path rows;

  @BeforeEach
  void build() throws IOException {
    text = directory.resolve("text");
    rows = directory.resolve("rows");
    Path colours = Files.writeString(directory.resolve("in.txt"), "rose red\nviolet blue\n");
    succeeds(CommandRun.of("build", "-t", text, "-i", colours));
    Path cities = Files.writeString(directory.resolve("in.csv"), ROWS);
    String schema = "id BIGINT, name STRING NOT NULL, pop INT";
    succeeds(
        CommandRun.line(
            "build -t %s -i %s --format csv --key id --schema %s", rows, cities, schema));
  }

  private static CommandRun succeeds(CommandRun run) {
    assertThat(run.status()).as(run.err()).isZero();
    return run;
  }

  private static CommandRun apply(Path table, String input, Object... more) {
    List<Object> arguments = new ArrayList<>(List.of("apply", "-t", table, "-i", "-"));
    arguments.addAll(List.of(more));
    return CommandRun.withInput(input.getBytes(UTF_8), arguments.toArray());
  }

  private static List<String> scan(Path table) {
    return succeeds(CommandRun.of("scan", "-t", table)).out().lines().sorted().toList();
  }

  @Test
  void appliesTextAsOneVersion() throws IOException {
    CommandRun apply =
        succeeds(
            apply(text, "+ rose dark red\n- violet\nPUT tulip \nd none\n- tulip\n+ tulip new\n"));

    String version = Table.at(text).requireCurrentVersion();
    assertThat(apply.out()).isEqualTo("version=" + version + " puts=3 deletes=3\n");
    assertThat(apply.err())
        .isEqualTo(
            version
                + " is in service: 2 records in partition files of 8.34 KiB, changed by 3 puts and 3"
                + " deletes in 1 segment of "
                + InService.of(text).changes().length()
                + " B\n");
    assertThat(Table.at(text).versions()).hasSize(2);
    assertThat(scan(text)).containsExactly("rose\tdark red", "tulip\tnew");
  }

  @Test
  void readsFilesWithSeparatorsAndEncodings() throws IOException {
    Path first = Files.writeString(directory.resolve("1"), "+::6b::00ff\n-::726f7365\n");
    Path second = Files.writeString(directory.resolve("2"), "+::6b::01\n");
    succeeds(
        CommandRun.of(
            "apply", "-t", text, "-i", first, second, "--separator", "::", "--encoding", "hex"));

    assertThat(succeeds(CommandRun.of("scan", "-t", text, "--encoding", "hex")).out().lines())
        .containsExactlyInAnyOrder("6b\t01", "76696f6c6574\t626c7565");
  }

  @ParameterizedTest
  @ValueSource(strings = {"put", "upsert", "insert", "UPDATE", "c", "u", "r", "+"})
  void putsRows(String word) {
    succeeds(apply(rows, "pop,op,id,more,name\n,%s,1,x,Neu\n".formatted(word), "--format", "csv"));

    assertThat(scan(rows)).contains("{\"id\": 1, \"name\": \"Neu\", \"pop\": null}").hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"delete", "Delete", "d", "-"})
  void deletesRowsByTheirKeys(String word) {
    succeeds(apply(rows, "op,id\n%s,1\n".formatted(word), "--format", "csv"));
    succeeds(apply(rows, "{\"op\": \"%s\", \"id\": \"2\"}\n".formatted(word), "--format", "jsonl"));

    assertThat(scan(rows)).containsExactly("{\"id\": 3, \"name\": \"Kiel\", \"pop\": 7}");
  }

  @Test
  void takesChangesAsChangeDataCaptureWritesThem() throws IOException {
    String changes =
        """
        {"id": 4, "name": "Hof", "pop": 1, "__op": "c", "__deleted": "false"}
        {"id": 1, "name": "Ulm", "pop": null, "__op": "u", "__deleted": "false"}
        {"id": 2, "name": null, "pop": null, "__op": "d", "__deleted": "true"}
        """;
    CommandRun apply =
        succeeds(
            apply(
                rows,
                changes,
                CommandRun.words(
                    "--format jsonl --op-column __op --position cities-0=4711 --position cities-1=12 --json")));

    assertThat(apply.out())
        .isEqualTo(
            "{\"version\":\"%s\",\"puts\":2,\"deletes\":1}\n"
                .formatted(Table.at(rows).requireCurrentVersion()));
    assertThat(scan(rows))
        .containsExactly(
            "{\"id\": 1, \"name\": \"Ulm\", \"pop\": null}",
            "{\"id\": 3, \"name\": \"Kiel\", \"pop\": 7}",
            "{\"id\": 4, \"name\": \"Hof\", \"pop\": 1}");
    assertThat(InService.of(rows).sourcePositions())
        .isEqualTo(Map.of("cities-0", "4711", "cities-1", "12"));
  }

  @Test
  void nothingToChangePublishesNothing() throws IOException {
    String before = Table.at(rows).requireCurrentVersion();
    for (String format : List.of("csv", "jsonl")) {
      CommandRun apply = succeeds(apply(rows, "", "--format", format));
      assertThat(apply.out()).isEqualTo("version=" + before + " puts=0 deletes=0\n");
      assertThat(apply.err()).isEqualTo("nothing to change: " + before + " stays in service\n");
    }
    succeeds(apply(rows, "id,op,name,pop\n", "--format", "csv"));
    assertThat(Table.at(rows).versions()).containsExactly(before);

    succeeds(apply(rows, "", "--format", "jsonl", "--position", "a=1"));
    assertThat(InService.of(rows).sourcePositions()).isEqualTo(Map.of("a", "1"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          x a b          | unknown operation 'x', expected one of put, upsert, insert, update, c, u, r, +, delete, d, - in the line: x a b
          -              | no key to delete in the line: -
          - a b          | more than a key to delete in the line: - a b
          + a            | no separator ' ' in the line: + a
          put  a         | empty key in the line: put  a
          """)
  void refusesLinesThatAreNoChanges(String line, String message) throws IOException {
    assertRefused(text, apply(text, "+ k v\n" + line + "\n"), ":2: " + message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"op": "x", "id": 1}                            | unknown operation 'x', expected one of put
          {"id": 1}                                       | no operation in column 'op'
          {"op": null, "id": 1}                           | no operation in column 'op'
          {"op": "u", "id": 1, "name": "x"}               | column 'pop' is missing
          {"op": "u", "id": null, "name": "x", "pop": 1}  | key column 'id' is null
          {"op": "d", "id": null}                         | key column 'id' is null
          {"op": "d", "name": "x"}                        | column 'id' is missing
          {"op": "u", "id": 1, "name": null, "pop": 1}    | column `name` STRING NOT NULL has no value
          {"op": "u", "id": 1, "name": "x", "pop": "y"}   | 'y' is not a value of `pop` INT
          {"op": "u", "id": 1, "name": "x", "pop": 1      | not JSON: Unexpected
          """)
  void refusesRowsThatAreNoChanges(String line, String message) throws IOException {
    String good = "{\"op\": \"u\", \"id\": 1, \"name\": \"a\", \"pop\": 1}\n";
    assertRefused(rows, apply(rows, good + line + "\n", "--format", "jsonl"), ":2: " + message);
  }

  @Test
  void refusesTablesOfTextWithoutTheColumns() throws IOException {
    assertRefused(
        rows,
        apply(rows, "id,name,pop\n1,a,2\n", "--format", "csv"),
        ": no column 'op'; the header has [id, name, pop]; --op-column names");
    assertRefused(
        rows,
        apply(rows, "op,name,pop\nd,a,2\n", "--format", "csv"),
        ": no column 'id'; the header has [op, name, pop]");
    assertRefused(
        rows,
        apply(rows, "op,id,name\nd,3,\nu,1,a\n", "--format", "csv"),
        ":3: column 'pop' is missing");
  }

  private static void assertRefused(Path table, CommandRun apply, String message)
      throws IOException {
    assertThat(apply.err()).startsWith("bsdb: (standard input)" + message).hasLineCount(1);
    assertThat(apply.status()).isEqualTo(ExitStatus.NO);
    assertThat(apply.out()).isEmpty();
    assertThat(Table.at(table).versions()).hasSize(1);
    assertThat(table.resolve("data"))
        .satisfiesAnyOf(
            data -> assertThat(data).doesNotExist(), data -> assertThat(data).isEmptyDirectory());
  }

  @Test
  void refusesKeysAndValuesThatAreTooLong() throws IOException {
    String key = "k".repeat(65_536);
    assertRefused(text, apply(text, "- " + key + "\n"), ":1: the key is too long: 65,536 bytes");
    assertRefused(text, apply(text, "+ " + key + " v\n"), ":1: the key is too long: 65,536 bytes");
  }

  @Test
  void refusesOptionsThatDoNotFitTheTable() {
    assertUsage(apply(rows, ""), "the table has rows: give them with --format csv or jsonl");
    assertUsage(apply(text, "", "--format", "csv"), "the table has no schema: --format csv");
    assertUsage(apply(text, "", "--op-column", "op"), "the table has no schema: --format csv");
    assertUsage(
        apply(rows, "", "--format", "csv", "--op-column", "pop"),
        "the table has a column 'pop' of its own; --op-column names another");
    assertUsage(
        apply(rows, "", "--format", "csv", "--encoding", "hex"), "--encoding is for --format text");
  }

  private static void assertUsage(CommandRun run, String message) {
    assertThat(run.err()).contains(message);
    assertThat(run.status()).isEqualTo(ExitStatus.USAGE);
  }

  @Test
  void refusesTablesThatCannotBeChanged() throws IOException {
    Path approximate = directory.resolve("approximate");
    Path input = directory.resolve("in.txt");
    succeeds(CommandRun.of("build", "-t", approximate, "-i", input, "--approximate"));
    assertUsage(apply(approximate, "+ a b\n"), "an approximate table cannot be changed");

    CommandRun none = apply(directory.resolve("none"), "+ a b\n");
    assertThat(none.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(none.err()).contains("none: no such table directory");
    CommandRun unpublished =
        apply(Files.createDirectory(directory.resolve("unpublished")), "+ a b\n");
    assertThat(unpublished.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(unpublished.err()).contains("no snapshot has been published here");
  }
}
