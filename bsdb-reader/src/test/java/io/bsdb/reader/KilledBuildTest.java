package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.ChildProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that build are killed at random points. {@code -Dbsdb.test.kills} says how many, {@code
 * -Dbsdb.test.seed} chooses the points.
 */
@Timeout(600)
class KilledBuildTest {
  private static final int KILLS = Integer.getInteger("bsdb.test.kills", 6);
  private static final long SEED = Long.getLong("bsdb.test.seed", 20_260_101);

  private static final Pattern PUBLISHING = Pattern.compile("(lock|sync|replace|replaced) .*");

  @TempDir Path directory;

  @Test
  void aKilledBuildLeavesASoundVersionInService() throws Exception {
    System.out.println("seed of the kills: " + SEED);
    Random random = new Random(SEED);
    Table table = Table.at(directory);
    int number = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      if (kill % 3 == 2) {
        killAfter(1 + random.nextInt(100));
      } else {
        killBefore(1 + random.nextInt(12));
      }
      number = assertSound(table, number, "seed %d, kill %d".formatted(SEED, kill));
      if (kill % 3 == 2) {
        BuildsUntilKilled.publishNext(table, directory.resolve("tmp"));
        assertThat(assertSound(table, number, "next build")).isEqualTo(++number);
        table.sweep(Duration.ofSeconds(-10));
        assertOnlyCompleteVersionsAreLeft(table);
        assertSound(table, number, "after sweep");
      }
    }
    assertThat(number).isPositive();
  }

  /** Kills a process that runs freely, somewhere after an operation. */
  private void killAfter(int operations) throws IOException, InterruptedException {
    Process process = start();
    try (BufferedReader lines = process.inputReader()) {
      process.getOutputStream().close();
      for (int i = 0; i < operations; i++) {
        assertThat(lines.readLine()).as("line %d of the building process", i).isNotNull();
      }
    } finally {
      process.destroyForcibly();
      process.waitFor();
    }
  }

  /** Kills a process between two of the operations that publishing consists of. */
  private void killBefore(int publishingOperation) throws IOException, InterruptedException {
    Process process = start();
    try (BufferedReader lines = process.inputReader();
        OutputStream leave = process.getOutputStream()) {
      for (int rest = publishingOperation; ; ) {
        String line = lines.readLine();
        assertThat(line).as("line of the building process").isNotNull();
        rest -= PUBLISHING.matcher(line).matches() ? 1 : 0;
        if (rest == 0) {
          process.destroyForcibly();
          return;
        }
        leave.write(1);
        leave.flush();
      }
    } finally {
      process.destroyForcibly();
      process.waitFor();
    }
  }

  private Process start() throws IOException {
    return ChildProcess.start(BuildsUntilKilled.class, directory.toString());
  }

  /** Returns the number of the version in service, which is not before {@code least}. */
  private int assertSound(Table table, int least, String what) throws IOException {
    String current = table.currentVersion();
    if (current == null) {
      assertThat(least).as(what).isZero();
      return 0;
    }
    Manifest manifest = SnapshotVerifier.verify(directory.resolve("snapshots").resolve(current));
    int number = BuildsUntilKilled.numberOf(manifest);
    assertThat(number).as(what).isGreaterThanOrEqualTo(least);
    TestData data = BuildsUntilKilled.data(number);
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      assertThat(reader.manifest()).isEqualTo(manifest);
      data.assertFoundIn(reader);
      data.assertScannedFrom(reader);
    }
    return number;
  }

  private void assertOnlyCompleteVersionsAreLeft(Table table) throws IOException {
    assertThat(table.storage().list("snapshots")).isEqualTo(table.versions());
    assertThat(table.storage().list("staging")).isEmpty();
    for (String version : table.versions()) {
      Path snapshot = directory.resolve("snapshots").resolve(version);
      SnapshotVerifier.verify(snapshot);
      try (Stream<Path> files = Files.list(snapshot)) {
        assertThat(files).hasSize(4);
      }
    }
    assertThat(table.storage().list(""))
        .isSubsetOf("CURRENT", "LOCK", "snapshots", "staging", "tmp");
  }
}
