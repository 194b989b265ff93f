package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.testkit.ChildProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that build and publish beside each other are killed at random moments while a reader
 * follows the table. {@code mvn test -Pkills -Dcampaign.minutes=60}
 */
@Tag("kills")
class KillsCampaignTest {
  private static final int RIVALS = 3;

  @TempDir Path directory;
  private final Campaign campaign = Campaign.start("kills");

  @Test
  void theTableStaysReadable() throws Exception {
    Table table = Table.at(directory);
    BuildsUntilKilled.publishNext(table, directory.resolve("tmp"));
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService follower = Executors.newSingleThreadExecutor();
    try (campaign) {
      Future<?> following =
          follower.submit(
              () -> {
                follow(done);
                return null;
              });
      int number = 1;
      while (campaign.nextRound() && !following.isDone()) {
        number = round(table, number, campaign.random());
      }
      done.set(true);
      following.get();
    } finally {
      done.set(true);
      follower.shutdown();
    }
  }

  /** Kills all of some rivals, one after the other, then sweeps. */
  private int round(Table table, int least, Random random) throws Exception {
    String what = "seed " + campaign.seed();
    int number = least;
    List<Process> rivals = new ArrayList<>();
    List<BufferedReader> outputs = new ArrayList<>();
    try {
      for (int i = 0; i < RIVALS; i++) {
        Process rival = ChildProcess.start(RivalBuilds.class, directory.toString());
        rivals.add(rival);
        outputs.add(rival.inputReader());
      }
      for (int i = 0; i < RIVALS; i++) {
        for (int lines = random.nextInt(6); lines >= 0; lines--) {
          String line = outputs.get(i).readLine();
          assertThat(line).as(what + ": what became of a build").isNotNull();
          campaign.count(line);
        }
        spin(random.nextInt(3_000_000));
        rivals.get(i).destroyForcibly().waitFor();
        campaign.count("kills");
        number = assertSound(number, what);
      }
    } finally {
      for (Process rival : rivals) {
        rival.destroyForcibly().waitFor();
      }
    }
    campaign.count("rounds");
    table.sweep(Duration.ofSeconds(-10));
    assertThat(table.storage().list("snapshots")).as(what).isEqualTo(table.versions());
    assertThat(table.storage().list("staging")).as(what).isEmpty();
    assertThat(table.storage().list(""))
        .as(what)
        .isSubsetOf("CURRENT", "LOCK", "snapshots", "staging", "tmp");
    for (String version : table.versions()) {
      SnapshotVerifier.verify(directory.resolve("snapshots").resolve(version));
    }
    return assertSound(number, what + " after sweep");
  }

  /** Lets a moment pass, shorter than any timer could. */
  private static void spin(long nanos) {
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  private int assertSound(int least, String what) throws IOException {
    while (true) {
      try (SnapshotReader reader = SnapshotReader.open(directory)) {
        int number = assertOneVersion(reader, what);
        assertThat(number).as(what).isGreaterThanOrEqualTo(least);
        campaign.count("reads after a kill");
        return number;
      } catch (NoSuchFileException pruned) { // by rivals that live, between CURRENT and the files
        campaign.count("pruned while it was opened");
      }
    }
  }

  private void follow(AtomicBoolean done) throws IOException {
    int number = 0;
    try (TableReader live = TableReader.follow(directory, ReaderOptions.defaults())) {
      while (!done.get()) {
        try {
          campaign.count(live.refresh() ? "versions followed" : "refreshes without news");
        } catch (NoSuchFileException pruned) {
          campaign.count("pruned while it was opened");
        }
        try (TableReader.Lease lease = live.lease()) {
          int now = assertOneVersion(lease.reader(), "follower");
          assertThat(now).isGreaterThanOrEqualTo(number);
          number = now;
        }
      }
    }
  }

  /** The number of a version that has all its records, and no others. */
  private static int assertOneVersion(SnapshotReader reader, String what) throws IOException {
    Manifest manifest = reader.manifest();
    int number = BuildsUntilKilled.numberOf(manifest);
    TestData data = BuildsUntilKilled.data(number);
    assertThat(manifest.recordCount()).as(what).isEqualTo(data.count());
    data.assertFoundIn(reader);
    data.assertScannedFrom(reader);
    return number;
  }
}
