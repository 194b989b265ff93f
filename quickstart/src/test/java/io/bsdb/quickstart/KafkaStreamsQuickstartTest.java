package io.bsdb.quickstart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.cli.output.ExitStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With fewer events; the whole one runs after the build. */
class KafkaStreamsQuickstartTest {
  private static final String HOME = "bsdb.home";

  @TempDir private Path directory;

  @BeforeEach
  void standInTheProjectsDirectory() {
    System.setProperty(HOME, "..");
  }

  @AfterEach
  void forgetTheProjectsDirectory() {
    System.clearProperty(HOME);
  }

  @Test
  void enrichesEveryCheckIn() {
    Path own = directory.resolve("quickstart");
    CommandRun run =
        CommandRun.of("quickstart", "kafka-streams", "--directory", own, "--events", 2_000);

    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out())
        .contains(
            "  10        310   2544815     Kariat Arkmane       MA       Africa/Casablanca  5882\n")
        .contains(
            "  19        589   -20         -                    -        -                  -\n")
        .contains("0000000001-")
        .contains(": 234,908 records")
        .containsPattern("\nevents=2000 enriched=1900 unmatched=100 rows_per_second=[1-9]\\d*\n$");
    assertThat(run.err()).contains("3/4 a topology looks up their places\n");
    assertThat(own.resolve("kafka.log")).content().contains("to RUNNING");
    assertThat(own.resolve("kafka")).as("the broker's files").doesNotExist();
    assertThat(CommandRun.of("get", "--table", own.resolve("cities"), "--", 2544815).out())
        .contains("Kariat Arkmane");
  }

  /** Writes the first places into another project's directory, and stands there. */
  private void standInADirectoryWithPlaces(int count) throws IOException {
    Path csv = Path.of("examples", "data", "cities500.csv.gz");
    Path home = directory.resolve("home");
    Files.createDirectories(home.resolve(csv).getParent());
    try (var all =
            new BufferedReader(
                new InputStreamReader(
                    new GZIPInputStream(Files.newInputStream(Path.of("..").resolve(csv))), UTF_8));
        var first =
            new OutputStreamWriter(
                new GZIPOutputStream(Files.newOutputStream(home.resolve(csv))), UTF_8)) {
      for (int line = 0; line <= count; line++) {
        first.write(all.readLine() + "\n");
      }
    }
    System.setProperty(HOME, home.toString());
  }

  /** Also with the thousand places that only the topic has. */
  @Test
  void enrichesEveryCheckInFromAGlobalTable() throws IOException {
    standInADirectoryWithPlaces(3_000);
    Path own = directory.resolve("quickstart");
    CommandRun run =
        CommandRun.of("quickstart", "global-table", "--directory", own, "--events", 2_000);

    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out())
        .contains(": 2,000 records")
        .containsPattern("\nevents=2000 enriched=1900 unmatched=100 rows_per_second=[1-9]\\d*\n$");
    assertThat(own.resolve("kafka-streams/bsdb-quickstart/global/bsdb/places")).isDirectory();
  }

  @Test
  void leavesADirectoryAloneThatIsNotItsOwn() throws Exception {
    Path theirs = Files.writeString(directory.resolve("theirs"), "x");

    CommandRun run = CommandRun.of("quickstart", "kafka-streams", "--directory", directory);

    assertThat(run.status()).isEqualTo(ExitStatus.UNREADABLE);
    assertThat(run.err())
        .isEqualTo(
            "bsdb: the directory is not empty, and no quickstart made it: " + directory + "\n");
    assertThat(theirs).exists();
  }

  @Test
  void refusesAnUnknownEngineAndNoEvents() {
    assertThat(CommandRun.of("quickstart", "storm").err())
        .contains("expected one of [flink, kafka-streams, global-table, live, history]");
    CommandRun none = CommandRun.of("quickstart", "kafka-streams", "--events", 0);
    assertThat(none.status()).isEqualTo(ExitStatus.USAGE);
    assertThat(none.err()).isEqualTo("bsdb: number of events: expected>=1 actual=0\n");
  }
}
