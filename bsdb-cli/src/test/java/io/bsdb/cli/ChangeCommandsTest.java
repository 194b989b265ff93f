package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.row.RowCodec;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.InService;
import io.bsdb.writer.DeltaWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands that change single keys, and what the others say of a table with changes. */
class ChangeCommandsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int RECORDS = 100;

  @TempDir private Path directory;
  private Path table;

  @BeforeEach
  void build() throws IOException {
    table = directory.resolve("table");
    StringBuilder records = new StringBuilder();
    for (int i = 0; i < RECORDS; i++) {
      records.append("k").append(i).append(" v").append(i).append('\n');
    }
    Path input = Files.writeString(directory.resolve("in.txt"), records);
    succeeds("build", "-t", table, "-i", input, "--partitions", 2);
  }

  private static CommandRun succeeds(Object... arguments) {
    CommandRun run = CommandRun.of(arguments);
    assertThat(run.status()).as(run.err()).isZero();
    return run;
  }

  @Test
  void publishesTheDifferenceOfAnInput() throws IOException {
    String before = version();
    StringBuilder records = new StringBuilder("k1 other\nnew row\n");
    for (int i = 3; i < RECORDS; i++) {
      records.append("k").append(i).append(" v").append(i).append('\n');
    }
    Path input = Files.writeString(directory.resolve("again.txt"), records);

    CommandRun dry = succeeds("build", "-t", table, "-i", input, "--dry-run", "--json");
    JsonNode counts = JSON.readTree(dry.out());
    assertThat(counts.path("same").asInt()).isEqualTo(97);
    assertThat(counts.path("added").asInt()).isEqualTo(1);
    assertThat(counts.path("changed").asInt()).isEqualTo(1);
    assertThat(counts.path("deleted").asInt()).isEqualTo(2);
    assertThat(counts.has("version")).isFalse();
    assertThat(version()).isEqualTo(before);

    CommandRun run =
        succeeds("build", "-t", table, "-i", input, "--publish", "changes", "--verify-input");
    assertThat(run.err())
        .contains("97 rows are the same, 1 new, 1 changed, 2 deleted")
        .contains(version() + " is in service");
    assertThat(Table.at(table).manifest(version()).changes().count()).isEqualTo(4);
    assertThat(succeeds("get", "-t", table, "--", "new").out()).isEqualTo("new\trow\n");
    assertThat(CommandRun.of("get", "-t", table, "--", "k0").status()).isNotZero();

    Path other = Files.writeString(directory.resolve("other.txt"), "k1 v1\n");
    succeeds("build", "-t", table, "-i", other, "--publish", "auto");
    assertThat(Table.at(table).manifest(version()).recordCount()).isEqualTo(1);

    CommandRun refused =
        CommandRun.of(
            "build", "-t", table, "-i", input, "--publish", "changes", "--layout", "compact");
    assertThat(refused.err())
        .contains(
            "layout in service=BLOCKED input=COMPACT, which must be the same; publish all rows");
    assertThat(refused.status()).isEqualTo(ExitStatus.NO);
    assertUsage(
        CommandRun.of("build", "-t", table, "-i", input, "--dry-run", "--verify"),
        "--dry-run builds nothing");

    String version = version();
    succeeds("put", "-t", table, "--", "k1", "put");
    String after = "--keep-changes-after=" + version;
    dry = succeeds("build", "-t", table, "-i", input, "--dry-run", "--json", after);
    assertThat(JSON.readTree(dry.out()).path("changed").asInt()).isZero();
    succeeds("build", "-t", table, "-i", input, "--publish", "changes", after);
    assertThat(succeeds("get", "-t", table, "--", "k1").out()).isEqualTo("k1\tput\n");
    assertThat(succeeds("get", "-t", table, "--", "new").out()).isEqualTo("new\trow\n");
  }

  private static void assertUsage(CommandRun run, String message) {
    assertThat(run.err()).contains(message);
    assertThat(run.status()).isEqualTo(ExitStatus.USAGE);
  }

  private Path rows() throws IOException {
    Path rows = directory.resolve("rows");
    Path input = Files.writeString(directory.resolve("in.csv"), "a,b,name,pop\nDE,1,Ulm,5\n");
    succeeds(
        CommandRun.words(
            "build -t %s -i %s --format csv --key a,b --schema %s",
            rows, input, "a STRING, b INT, name STRING NOT NULL, pop INT"));
    return rows;
  }

  private String version() throws IOException {
    return Table.at(table).requireCurrentVersion();
  }

  /** Returns the file of the only segment. */
  private Path segment() throws IOException {
    Manifest manifest = Table.at(table).manifest(version());
    return table.resolve(manifest.changes().segments().get(0).path());
  }

  @Test
  void buildsAnewUnderChanges() throws IOException {
    succeeds("put", "-t", table, "--", "k1", "before");
    String version = version();
    succeeds("put", "-t", table, "--", "k2", "after");
    succeeds("compact", "-t", table, "--all", "--keep-history", "1h");
    Path input = Files.writeString(directory.resolve("anew.txt"), "k1 anew\nk2 anew\n");

    succeeds("build", "-t", table, "-i", input, "--keep-changes-after", version);

    assertThat(succeeds("get", "-t", table, "k1").out()).contains("anew");
    assertThat(succeeds("get", "-t", table, "k2").out()).contains("after");
    CommandRun again =
        CommandRun.of("build", "-t", table, "-i", input, "--keep-changes-after", version);
    assertThat(again.err()).contains("the table was rebuilt or rolled back");
    assertThat(again.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertUsage(
        CommandRun.of("build", "-t", table, "-i", input, "--keep-changes-after", "yesterday"),
        "not a version's name: 'yesterday'");
    assertUsage(
        CommandRun.of(
            "build", "-t", table, "-i", input, "--keep-changes-after", version, "--verify-input"),
        "--verify-input compares all rows, and --keep-changes-after");
  }

  @Test
  void putsAndDeletesKeys() throws IOException {
    CommandRun put = succeeds("put", "-t", table, "--", "k1", "new value");
    assertThat(put.out()).isEqualTo("version=" + version() + " puts=1 deletes=0\n");
    assertThat(put.err())
        .startsWith(version() + " is in service: 100 records in partition files of ")
        .contains(", changed by 1 put and 0 deletes in 1 segment of ");
    CommandRun delete = succeeds("delete", "-t", table, "--json", "--", "k2", "k2", "none");
    assertThat(delete.out())
        .isEqualTo("{\"version\":\"" + version() + "\",\"puts\":0,\"deletes\":3}\n");
    succeeds("put", "-t", table, "--encoding", "hex", "--", "00", "ff");

    CommandRun get = CommandRun.of("get", "-t", table, "--", "k0", "k1", "k2");
    assertThat(get.out()).isEqualTo("k0\tv0\nk1\tnew value\n");
    assertThat(get.err()).isEqualTo("absent: k2\n");
    assertThat(succeeds("get", "-t", table, "--encoding", "hex", "--", "00").out())
        .isEqualTo("00\tff\n");
    assertThat(succeeds("scan", "-t", table).out()).hasLineCount(RECORDS);
  }

  @Test
  void putsRowsAsGetPrintsThem() throws IOException {
    Path rows = rows();
    succeeds("put", "-t", rows, "--", "FR,2", "{\"name\": \"Metz\", \"pop\": null}");
    String line = succeeds("get", "-t", rows, "--", "FR,2").out();
    String row = line.substring(line.indexOf('\t') + 1).strip();
    assertThat(row).isEqualTo("{\"a\": \"FR\", \"b\": 2, \"name\": \"Metz\", \"pop\": null}");
    succeeds("delete", "-t", rows, "--", "[\"FR\", 2]");
    assertThat(CommandRun.of("get", "-t", rows, "--", "FR,2").status()).isEqualTo(ExitStatus.NO);
    succeeds("put", "-t", rows, "--", "FR,2", row.replace(", ", ",\n"));
    assertThat(succeeds("get", "-t", rows, "--", "FR,2").out()).isEqualTo(line);

    assertUsage(put(rows, "FR,2", row.replace("FR", "IT")), "it has another key");
    assertUsage(put(rows, "FR,2", row.replace("pop", "po")), "no column 'po'; the table has [a, b");
    assertUsage(put(rows, "FR,2", "{\"pop\": 1}"), "columns are missing: [name]");
    assertUsage(put(rows, "FR,2", row.replace("null", "\"x\"")), "'x' is not a value of `pop` INT");
    assertUsage(put(rows, "FR,2", row + " 1"), "not JSON: more follows the object");
    assertUsage(put(rows, "FR,2", "{"), "not JSON: Unexpected end-of-input");
    assertUsage(put(rows, "FR,2", "[]"), "not a JSON object");
    assertUsage(put(rows, "FR,x", row), "'x' is not a value of `b` INT NOT NULL");
    assertUsage(
        CommandRun.of("delete", "-t", rows, "--encoding", "hex", "--", "00"),
        "--encoding is for tables without a schema");
    assertThat(Table.at(rows).versions()).hasSize(4);
  }

  private static CommandRun put(Path table, String key, String value) {
    return CommandRun.of("put", "-t", table, "--", key, value);
  }

  @Test
  void refusesWhatCannotBeChanged() throws IOException {
    assertUsage(
        put(table, "k".repeat(65_536), "v"), "key length out of range: expected 1 to 65535");
    assertUsage(put(table, "", "v"), "key length out of range: expected 1 to 65535, actual 0");
    assertUsage(
        CommandRun.of("put", "-t", table, "--", "k"), "Missing required parameter: 'VALUE'");
    assertUsage(CommandRun.of("delete", "-t", table), "Missing required parameter: 'KEY'");
    assertUsage(
        CommandRun.of("put", "-t", table, "--encoding", "hex", "--", "00", "x"),
        "value 'x' is not hex");
    Path approximate = directory.resolve("approximate");
    Path input = directory.resolve("in.txt");
    succeeds("build", "-t", approximate, "-i", input, "--approximate");
    assertUsage(put(approximate, "k", "v"), "an approximate table cannot be changed");
    for (String command : new String[] {"put", "delete", "compact"}) {
      Object[] arguments = {command, "-t", table.resolve("snapshots").resolve(version())};
      CommandRun snapshot =
          command.equals("compact")
              ? CommandRun.of(arguments)
              : CommandRun.of(arguments[0], arguments[1], arguments[2], "--", "k", "v");
      if (!command.equals("delete")) {
        assertThat(snapshot.err()).contains("no snapshot has been published here");
      }
      assertThat(snapshot.status()).isEqualTo(ExitStatus.UNREADABLE);
    }
    assertThat(Table.at(table).versions()).hasSize(1);
  }

  @Test
  void saysWhatIsInServiceIfTheAnswerCannotBeWritten() throws IOException {
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("No space left on device");
          }
        };
    CommandRun run = CommandRun.into(full, "put", "-t", table, "--", "k", "v");
    assertThat(run.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(run.err()).contains(version() + " is in service all the same");
    assertThat(Table.at(table).versions()).hasSize(2);
  }

  @Test
  void compacts() throws IOException {
    String base = version();
    CommandRun nothing = succeeds("compact", "-t", table);
    assertThat(nothing.out())
        .isEqualTo("version=" + base + " foldedPartitions=0 mergedSegments=0 segments=0\n");
    assertThat(nothing.err())
        .startsWith("nothing to compact: " + base + " stays in service with 100 records in ");
    for (int i = 0; i < 3; i++) {
      succeeds("put", "-t", table, "--", "k" + i, "new");
    }
    succeeds("compact", "-t", table);
    assertThat(Table.at(table).versions()).hasSize(4);

    CommandRun merged = succeeds("compact", "-t", table, "--max-segments", 2, "--json");
    assertThat(merged.out())
        .isEqualTo(
            "{\"version\":\"%s\",\"foldedPartitions\":0,\"mergedSegments\":3,\"segments\":1}\n"
                .formatted(version()));
    assertThat(merged.err())
        .startsWith(version() + " is in service: folded 0 of 2 partitions, merged 3 segments; it")
        .contains("changed by 3 puts and 0 deletes in 1 segment");
    succeeds("delete", "-t", table, "--", "k3");
    CommandRun folded = succeeds("compact", "-t", table, "--all", "--rate", "50M");
    assertThat(folded.out())
        .isEqualTo("version=" + version() + " foldedPartitions=2 mergedSegments=0 segments=0\n");
    assertThat(folded.err())
        .contains("folded 2 of 2 partitions")
        .contains("it holds 99 records in");
    assertThat(succeeds("get", "-t", table, "--", "k0", "k9").out()).isEqualTo("k0\tnew\nk9\tv9\n");
    assertThat(succeeds("inspect", "-t", table, "--partitions").out())
        .contains("records   99 in 2 partitions\n")
        .contains("folded through segment 4, file id");
    assertThat(succeeds("prune", "-t", table, "--keep", 1).out()).hasLineCount(6);
    assertThat(succeeds("verify", "-t", table).err()).contains(version() + " is sound: 99 records");
    assertThat(succeeds("scan", "-t", table).out()).hasLineCount(99);
  }

  @Test
  void refusesSettingsOfACompaction() {
    assertUsage(
        CommandRun.of("compact", "-t", table, "--all", "--fold-fraction", 1),
        "--all and --fold-fraction exclude each other");
    assertUsage(CommandRun.of("compact", "-t", table, "--fold-fraction", -1), "fold fraction");
    assertUsage(CommandRun.of("compact", "-t", table, "--max-segments", 0), "number of segments");
    assertUsage(CommandRun.of("compact", "-t", table, "--rate", 0), "bytes per second");
    assertUsage(CommandRun.of("compact", "-t", table, "--rate", "fast"), "not a size");
  }

  @Test
  void countsThatAreNotExactAreNotShownAsSuch() throws IOException {
    succeeds("put", "-t", table, "--", "k0", "new");
    succeeds("put", "-t", table, "--", "new", "new");
    succeeds("delete", "-t", table, "--", "k1", "k2", "none");
    long bytes = Table.at(table).manifest(version()).changes().length();
    String changes = "2 puts and 3 deletes in 3 segments of " + bytes + " B";

    assertThat(succeeds("versions", "-t", table).out().lines())
        .last()
        .asString()
        .contains("  100 records in partition files of ")
        .endsWith(", changed by " + changes);
    JsonNode versions = JSON.readTree(succeeds("versions", "-t", table, "--json").out());
    assertThat(versions.get(0).get("records").asLong()).isEqualTo(RECORDS);
    assertThat(versions.get(0).get("segments").asLong()).isZero();
    assertFigures(versions.get(3), bytes);

    CommandRun inspect = succeeds("inspect", "-t", table, "--histograms", "--partitions");
    assertThat(inspect.out())
        .contains("records   100 in 2 partition files\n")
        .contains("changes   " + changes + "\n")
        .contains("counted   99 records, with all changes applied\n")
        .containsPattern("segment   data/[0-9a-f-]{36}.seg number 2, 1 put, 0 deletes, [0-9]+ B\n")
        .doesNotContain("folded through");
    JsonNode figures =
        JSON.readTree(succeeds("inspect", "-t", table, "--histograms", "--json").out());
    assertFigures(figures, bytes);
    assertThat(figures.get("countedRecords").asLong()).isEqualTo(99);
    assertThat(figures.get("segmentFiles")).hasSize(3);
    assertThat(figures.get("segmentFiles").get(2).get("deletes").asLong()).isEqualTo(3);
    assertThat(figures.get("partitions").get(0).get("version").asText()).startsWith("0000000001-");
    assertThat(succeeds("verify", "-t", table).err()).contains("is sound: ").contains(changes);
  }

  private static void assertFigures(JsonNode figures, long segmentBytes) {
    assertThat(figures.get("records").isNull()).isTrue();
    assertThat(figures.get("partitionRecords").asLong()).isEqualTo(RECORDS);
    assertThat(figures.get("puts").asLong()).isEqualTo(2);
    assertThat(figures.get("deletes").asLong()).isEqualTo(3);
    assertThat(figures.get("segments").asLong()).isEqualTo(3);
    assertThat(figures.get("segmentBytes").asLong()).isEqualTo(segmentBytes);
  }

  @Test
  void benchAsksForKeysThatExist() throws IOException {
    StringBuilder changes = new StringBuilder();
    for (int i = 0; i < RECORDS; i++) {
      changes.append("- k").append(i).append("\n+ new").append(i).append(" v\n+ more").append(i);
      changes.append(" v\n");
    }
    Path input = Files.writeString(directory.resolve("changes.txt"), changes);
    succeeds("apply", "-t", table, "-i", input);

    CommandRun bench = succeeds("bench", "-t", table, "--seconds", 0.1, "--json");
    JsonNode report = JSON.readTree(bench.out());
    assertThat(report.get("distinctKeys").asLong()).isEqualTo(2 * RECORDS);
    assertThat(report.get("foundShare").asDouble()).isOne();
    assertThat(report.get("records").isNull()).isTrue();
    assertThat(report.get("changedKeys").asLong()).isEqualTo(3 * RECORDS);
    assertThat(succeeds("bench", "-t", table, "--seconds", 0.1).out())
        .containsPattern("records +not counted\n");

    for (int i = 0; i < RECORDS; i++) {
      changes.append("- new").append(i).append("\n- more").append(i).append('\n');
    }
    Files.writeString(input, changes);
    succeeds("apply", "-t", table, "-i", input);
    CommandRun empty = CommandRun.of("bench", "-t", table, "--seconds", 0.1);
    assertThat(empty.status()).isEqualTo(ExitStatus.NO);
    assertThat(empty.err()).contains("the table has no records; name keys with --keys");
  }

  @Test
  void damageOfASegmentIsNamed() throws IOException {
    succeeds("put", "-t", table, "--", "k0", "new");
    Path segment = segment();
    byte[] bytes = Files.readAllBytes(segment);
    bytes[100] ^= 1;
    Files.write(segment, bytes);
    for (String command : new String[] {"verify", "scan", "compact", "bench"}) {
      CommandRun run = CommandRun.of(command, "-t", table);
      assertThat(run.status()).as(command).isEqualTo(ExitStatus.UNREADABLE);
      assertThat(run.err()).contains("mismatch").contains(segment.toString()).contains("offset=");
    }
    assertThat(succeeds("inspect", "-t", table).out()).contains("changes   1 put ");
    Files.delete(segment);
    assertThat(CommandRun.of("verify", "-t", table).err())
        .startsWith("bsdb: %s: the manifest names this segment".formatted(segment));
    succeeds("rollback", "-t", table);
    assertThat(succeeds("get", "-t", table, "--", "k0").out()).isEqualTo("k0\tv0\n");
  }

  @Test
  void verifyFindsChangedRowsOfAnotherSchema() throws IOException {
    Path rows = rows();
    Table opened = Table.at(rows);
    RowCodec codec = RowCodec.of(java.util.Objects.requireNonNull(InService.of(opened).schema()));
    try (DeltaWriter writer = DeltaWriter.create(opened)) {
      writer.put(codec.encodeKey("FR", 2), "no row".getBytes(StandardCharsets.UTF_8));
      writer.publish();
    }
    CommandRun verify = CommandRun.of("verify", "-t", rows);
    assertThat(verify.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(verify.err()).contains("changed row does not fit the schema: version=0000000002-");
  }
}
