package io.bsdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.cli.output.ExitStatus;
import io.bsdb.table.Build;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.StreamProgress;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableCommandsTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path directory;
  private Path table;

  @BeforeEach
  void build() throws IOException {
    table = directory.resolve("table");
    for (int i = 1; i <= 3; i++) {
      Path input = Files.writeString(directory.resolve("in.txt"), "k " + i + "\n");
      CommandRun build = CommandRun.of("build", "-t", table, "-i", input);
      assertThat(build.status()).as(build.err()).isZero();
    }
  }

  @Test
  void listsVersions() throws IOException {
    CommandRun versions = CommandRun.of("versions", "-t", table);

    assertThat(versions.status()).isZero();
    assertThat(versions.out().lines())
        .hasSize(3)
        .last()
        .asString()
        .startsWith("* 0000000003-")
        .contains("1 record in ");
    JsonNode json = JSON.readTree(CommandRun.of("versions", "-t", table, "--json").out());
    assertThat(json).hasSize(3);
    assertThat(json.get(2).get("inService").asBoolean()).isTrue();
    assertThat(json.get(0).get("inService").asBoolean()).isFalse();
  }

  @Test
  void saysThatThereAreNoVersions() throws IOException {
    Path empty = Files.createDirectory(table.resolveSibling("empty"));
    for (String command : List.of("versions", "rollback", "inspect")) {
      CommandRun run = CommandRun.line(command + " --table %s", empty);
      assertThat(run.status()).as(command).isEqualTo(ExitStatus.UNREADABLE);
      assertThat(run.err())
          .as(command)
          .isEqualTo(
              "bsdb: %s/CURRENT: no snapshot has been published here; build one, or check the path%n"
                  .formatted(empty));
    }
  }

  @Test
  void listsVersionsOfADamagedTable() throws IOException {
    Path current = Files.writeString(table.resolve("CURRENT"), "damaged\n");
    String first = Table.at(table).versions().get(0);
    Path manifest = table.resolve("snapshots").resolve(first).resolve("manifest.json");
    Files.writeString(manifest, "{}");

    CommandRun versions = CommandRun.of("versions", "-t", table);

    assertThat(versions.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(versions.err())
        .hasLineCount(2)
        .contains("bsdb: CURRENT does not name a version: file=" + current)
        .contains(manifest.toString());
    assertThat(versions.out())
        .hasLineCount(3)
        .startsWith("  " + first + "  manifest damaged\n")
        .contains("\n  0000000003-")
        .contains("1 record in ")
        .doesNotContain("*");
    CommandRun asJson = CommandRun.of("versions", "-t", table, "--json");
    assertThat(asJson.status()).isEqualTo(ExitStatus.UNREADABLE);
    JsonNode json = JSON.readTree(asJson.out());
    assertThat(json.get(0).get("damage").asText()).contains(manifest.toString());
    assertThat(json.get(2).get("records").asLong()).isEqualTo(1);
    assertThat(json.get(2).get("inService").isNull()).isTrue();

    CommandRun.of("rollback", "-t", table, json.get(1).get("version").asText());
    assertThat(CommandRun.of("versions", "-t", table).out()).contains("\n* 0000000002-");
  }

  @Test
  void rollsBackAndForth() throws IOException {
    String newest = Table.at(table).requireCurrentVersion();

    assertThat(CommandRun.of("rollback", "-t", table).out()).startsWith("0000000002-");
    assertThat(value()).isEqualTo("k\t2\n");
    assertThat(CommandRun.of("rollback", "-t", table, newest).status()).isZero();
    assertThat(value()).isEqualTo("k\t3\n");

    CommandRun unknown = CommandRun.of("rollback", "-t", table, "0000000009-00000000");
    assertThat(unknown.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(unknown.err()).contains("no such version: 0000000009-00000000");
  }

  @Test
  void doesNotRollBackToAVersionThatWasRolledBack() throws IOException {
    List<String> versions = Table.at(table).versions();
    assertThat(CommandRun.of("rollback", "-t", table, versions.get(0)).status()).isZero();
    assertThat(CommandRun.of("put", "-t", table, "k", "4").status()).isZero();

    assertThat(CommandRun.of("rollback", "-t", table).out()).isEqualTo(versions.get(0) + "\n");
    assertThat(value()).isEqualTo("k\t1\n");

    CommandRun.of("rollback", "-t", table, versions.get(2));
    CommandRun.of("prune", "-t", table, "--keep", 1);
    CommandRun deleted = CommandRun.of("rollback", "-t", table);
    assertThat(deleted.status()).isEqualTo(ExitStatus.NO);
    assertThat(deleted.err())
        .contains("the version before %s has been deleted".formatted(versions.get(2)));
  }

  @Test
  void tellsThatThereIsNothingBefore() {
    CommandRun.of("rollback", "-t", table);
    CommandRun.of("rollback", "-t", table);

    CommandRun first = CommandRun.of("rollback", "-t", table);

    assertThat(first.status()).isEqualTo(ExitStatus.NO);
    assertThat(first.err()).contains("there is no version before 0000000001-");
  }

  @Test
  void prunesAllButTheNewest() throws IOException {
    CommandRun prune = CommandRun.of("prune", "-t", table, "--keep", 2);

    assertThat(prune.status()).isZero();
    assertThat(prune.out()).startsWith("0000000001-").hasLineCount(1);
    assertThat(Table.at(table).versions()).hasSize(2);
    assertThat(CommandRun.of("prune", "-t", table, "--keep", 0).status())
        .isEqualTo(ExitStatus.USAGE);
  }

  @Test
  void prunesNothingButTables() throws IOException {
    Path other = Files.createDirectory(directory.resolve("other"));

    CommandRun prune = CommandRun.of("prune", "-t", other, "--keep", 2);

    assertThat(prune.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(prune.err()).contains("no snapshot has been published here");
    assertThat(other).isEmptyDirectory();
  }

  @Test
  void sweepsNothingButTables() throws IOException {
    Path other = Files.createDirectory(directory.resolve("other"));

    CommandRun sweep = CommandRun.of("sweep", "-t", other);

    assertThat(sweep.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(sweep.err()).contains("no snapshot has been published here");
    assertThat(other).isEmptyDirectory();

    Files.createDirectory(other.resolve("snapshots")); // as a build that was the first leaves it
    assertThat(CommandRun.of("sweep", "-t", other).status()).isZero();
  }

  @Test
  void sweepsWhatDeadBuildsLeft() throws IOException {
    Build dead = Table.at(table).begin();
    Path staging = Files.createDirectories(table.resolve(dead.stagingDirectory()));
    assertThat(CommandRun.of("sweep", "-t", table).out()).isEmpty();
    Files.setLastModifiedTime(staging, FileTime.from(Instant.now().minus(Duration.ofHours(2))));

    CommandRun sweep = CommandRun.of("sweep", "-t", table, "--older-than", "90m");

    assertThat(sweep.status()).as(sweep.err()).isZero();
    assertThat(sweep.out()).isEqualTo(dead.stagingDirectory() + "\n");
    assertThat(staging).doesNotExist();
    assertThat(CommandRun.of("sweep", "-t", table, "--older-than", "soon").status())
        .isEqualTo(ExitStatus.USAGE);
    CommandRun never = CommandRun.of("sweep", "-t", table, "--older-than", "99999999999999d");
    assertThat(never.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(never.err())
        .contains("too long a time: '99999999999999d', expected at most 365000d");
    assertThat(CommandRun.of("prune", "-t", table, "--keep", "all").err())
        .startsWith("bsdb: Invalid value for option '--keep': 'all' is not a whole number up to ");
    assertThat(CommandRun.of("scan", "-t", table, "--limit", "1e3").err())
        .contains("'1e3' is not a whole number up to " + Long.MAX_VALUE + "\n");
    assertThat(CommandRun.of("get", "-t", table, "--floor", "--ceiling", "--", "k").err())
        .startsWith("bsdb: --floor, --ceiling are mutually exclusive");
    assertThat(CommandRun.of("diff", "-t", table, "--from", "x", "--sample", "1%").err())
        .contains("'--sample': '1%' is not a number\n");
  }

  /** As of a variable of a shell that is not set. */
  @Test
  void refusesATableWithoutAName() throws IOException {
    Path input = Files.writeString(directory.resolve("x.txt"), "k v\n");
    for (CommandRun run :
        List.of(
            CommandRun.of("build", "-t", "", "-i", input), CommandRun.of("versions", "-t", ""))) {
      assertThat(run.status()).isEqualTo(ExitStatus.USAGE);
      assertThat(run.err())
          .isEqualTo("bsdb: --table is empty; give '.' for the current directory\n");
    }
  }

  @Test
  void showsWhatTakesHowMuchSpace() throws IOException {
    CommandRun inspect = CommandRun.of("inspect", "-t", table, "--partitions");
    assertThat(inspect.status()).as(inspect.err()).isZero();
    assertThat(inspect.out())
        .contains("records   1 in ")
        .contains("option    layout=blocked")
        .contains("part      blocks ")
        .contains("follows   0000000002-")
        .contains("data      2 B stored in ")
        .containsPattern(
            "partition part-00000.bsdb 1 record, .* bits per record, data at .*, file id [0-9a-f-]{36}");

    JsonNode json = JSON.readTree(CommandRun.of("inspect", "-t", table, "--json").out());
    assertThat(json.get("records").asLong()).isEqualTo(1);
    assertThat(json.get("keyBytes").asLong()).isEqualTo(1);
    long parts = 0;
    for (JsonNode bytes : json.get("parts")) {
      parts += bytes.asLong();
    }
    assertThat(parts).isEqualTo(json.get("bytes").asLong());
    assertThat(json.get("parent").asText()).startsWith("0000000002-");
    JsonNode partition = json.get("partitions").get(0);
    assertThat(partition.get("fileId").asText())
        .matches("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    assertThat(partition.get("checksum").asText()).matches("[0-9a-f]{8}");
    assertThat(partition.get("parts")).isEqualTo(json.get("parts"));
    assertThat(json.has("keyLengths")).isFalse();
  }

  @Test
  void showsHowWellRecordsCompress() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 2000; i++) {
      text.append("key").append(10_000 + i).append(" ").append("ab".repeat(46)).append('\n');
    }
    Path input = Files.writeString(directory.resolve("in.txt"), text);
    CommandRun.of("build", "-t", table, "-i", input, "--layout", "compressed");

    JsonNode json = JSON.readTree(CommandRun.of("inspect", "-t", table, "--json").out());

    double blocks = json.get("parts").get("blocks").asDouble();
    assertThat(json.get("compressionRatio").asDouble()).isEqualTo(blocks / 200_000);
    assertThat(blocks).isLessThan(100_000);
  }

  @Test
  void showsWhatSymbolTablesSave() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 500; i++) {
      text.append(
          "{\"id\":%d,\"name\":\"town number %d\",\"at\":{\"zone\":\"Europe/Zurich\"}}%n"
              .formatted(i, i));
    }
    Path input = Files.writeString(directory.resolve("in.jsonl"), text);
    CommandRun build =
        CommandRun.line(
            "build -t %s -i %s --layout symbols --format jsonl --key id --schema %s",
            table, input, "id BIGINT, name STRING, at ROW<zone STRING>");
    assertThat(build.status()).as(build.err()).isZero();

    assertThat(CommandRun.of("inspect", "-t", table).out())
        .contains("option    layout=symbols")
        .containsPattern("part +symbols ")
        .contains("symbols   key             as it is: no table saves anything")
        .containsPattern(
            "symbols   name +\\d+ % of its bytes, with \\d+ symbols, [0-9,]+ bytes per partition file")
        .containsPattern("symbols   at.zone +15 % of its bytes");

    JsonNode json = JSON.readTree(CommandRun.of("inspect", "-t", table, "--json").out());
    assertThat(json.get("symbols")).hasSize(3);
    assertThat(json.get("symbols").get(2).get("string").textValue()).isEqualTo("at.zone");
    assertThat(json.get("symbols").get(2).get("percent").intValue()).isEqualTo(15);
    assertThat(json.get("symbols").get(0).has("percent")).isFalse();
  }

  @Test
  void showsHowLongKeysAndValuesAre() throws IOException {
    Path input = Files.writeString(directory.resolve("in.txt"), "k \nkey 1\nkeys 1234567\n");
    CommandRun.of("build", "-t", table, "-i", input);

    CommandRun inspect = CommandRun.of("inspect", "-t", table, "--histograms");
    assertThat(inspect.status()).as(inspect.err()).isZero();
    assertThat(inspect.out())
        .containsPattern("key +1 bytes +1 +33.33 % #{13}\n")
        .containsPattern("key +2 to 3 bytes +1 +33.33 %")
        .containsPattern("key +4 to 7 bytes +1 +33.33 %")
        .containsPattern("value +0 bytes +1 +33.33 %")
        .containsPattern("value +2 to 3 bytes +0 +0.00 % \n")
        .containsPattern("value +4 to 7 bytes +1 +33.33 %");

    JsonNode json =
        JSON.readTree(CommandRun.of("inspect", "-t", table, "--histograms", "--json").out());
    assertThat(json.get("keyLengths")).hasSize(3);
    assertThat(json.get("valueLengths").get(2))
        .isEqualTo(JSON.readTree("{\"from\": 4, \"to\": 7, \"records\": 1}"));
  }

  @Test
  void measuresValuesAloneWhereKeysAreLeftOut() {
    CommandRun.of("build", "-t", table, "-i", directory.resolve("in.txt"), "--approximate");

    CommandRun inspect = CommandRun.of("inspect", "-t", table, "--histograms");

    assertThat(inspect.status()).as(inspect.err()).isZero();
    assertThat(inspect.out())
        .containsPattern("value +1 bytes +1 +100.00 %")
        .doesNotContainPattern("key +1 bytes");
  }

  @Test
  void printsRecordsAsJson() throws IOException {
    Path input = Files.write(directory.resolve("in.txt"), new byte[] {'k', ' ', '"', (byte) 0xFF});
    CommandRun.of("build", "-t", table, "-i", input);

    assertThat(CommandRun.of("scan", "-t", table, "--json", "--encoding", "hex").out())
        .isEqualTo("{\"key\":\"6b\",\"value\":\"22ff\"}\n");
    CommandRun text = CommandRun.of("scan", "-t", table, "--json");
    assertThat(text.status()).isEqualTo(ExitStatus.NO);
    assertThat(text.err())
        .contains("not UTF-8, so no JSON text: the 2 bytes 22ff; print them with --encoding hex");
  }

  @Test
  void printsAllRecords() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 1000; i++) {
      text.append("key").append(i).append("\tvalue ").append(i).append('\n');
    }
    Path input = Files.writeString(directory.resolve("in.txt"), text);
    CommandRun.of("build", "-t", table, "-i", input, "--separator", "\\t");

    assertThat(CommandRun.of("scan", "-t", table).out().lines())
        .containsExactlyInAnyOrderElementsOf(text.toString().lines().toList());
    assertThat(CommandRun.of("scan", "-t", table, "--limit", 7).out()).hasLineCount(7);
    assertThat(CommandRun.of("scan", "-t", table, "--encoding", "hex").out())
        .contains("6b657930\t76616c75652030\n");
  }

  @Test
  void cannotPrintAnApproximateTable() {
    Path input = directory.resolve("in.txt");
    CommandRun.of("build", "-t", table, "-i", input, "--approximate");

    CommandRun scan = CommandRun.of("scan", "-t", table);

    assertThat(scan.status()).isEqualTo(ExitStatus.NO);
    assertThat(scan.err()).contains("it stores no keys to print");
  }

  @Test
  void endsQuietlyWhenNobodyReadsOn() {
    OutputStream closed =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("Broken pipe");
          }
        };
    CommandRun scan = CommandRun.into(closed, "scan", "-t", table);

    assertThat(scan.status()).isEqualTo(ExitStatus.BROKEN_PIPE);
    assertThat(scan.err()).isEmpty();
  }

  @Test
  void anErrorOfTheProgramIsNoAbsentKey() {
    OutputStream faulty =
        new OutputStream() {
          @Override
          public void write(int b) {
            throw new ExceptionInInitializerError("no such library");
          }
        };
    CommandRun get = CommandRun.into(faulty, "get", "-t", table, "--", "k");

    assertThat(get.status()).isEqualTo(ExitStatus.DEFECT);
    assertThat(get.err())
        .startsWith("bsdb: defect of this program: java.lang.ExceptionInInitializerError: no such")
        .contains("\tat io.bsdb");
  }

  private String value() {
    return CommandRun.of("get", "-t", table, "--", "k").out();
  }

  @Test
  void endsAStream() throws IOException {
    Table opened = Table.at(table);
    StreamProgress progress = new StreamProgress(new StreamProgress.Checkpoint(new UUID(0, 1), 7));
    opened.edit(
        inService ->
            inService.with(
                inService.partitions(), Map.of(), inService.changes().with("s", progress)));
    Path input = Files.writeString(directory.resolve("in.txt"), "k 4\n");
    assertThat(CommandRun.of("build", "-t", table, "-i", input).err()).contains("streams=[s]");
    CommandRun other = CommandRun.of("end-stream", "-t", table, "t");
    assertThat(other.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(other.err())
        .isEqualTo("bsdb: no such stream: 't'; the table " + table + " records [s]\n");

    CommandRun ended = CommandRun.of("end-stream", "-t", table, "s");

    assertThat(ended.err()).endsWith(" is in service and does not record 's'\n");
    assertThat(ended.out()).isEqualTo(opened.requireCurrentVersion() + "\n");
    assertThat(CommandRun.of("build", "-t", table, "-i", input).status()).isZero();
  }
}
