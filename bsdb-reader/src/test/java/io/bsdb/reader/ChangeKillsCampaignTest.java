package io.bsdb.reader;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.follow.TableReader;
import io.bsdb.table.Table;
import io.bsdb.testkit.ChildProcess;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that change a table beside each other, and fold, merge and rebuild it, are killed at
 * random moments: what one has said to be in service is found. {@code mvn test -Pkills}
 */
@Tag("kills")
class ChangeKillsCampaignTest {
  private static final int RIVALS = 2;

  @TempDir Path directory;
  private final Campaign campaign = Campaign.start("kills of changes");

  @Test
  void noChangeIsLostAndNoneIsHalf() throws Exception {
    TestData.empty().publish(directory, WriterOptions.builder().partitions(3).minRows(0).build());
    for (int i = 0; i < RIVALS; i++) {
      try (DeltaWriter writer = DeltaWriter.create(Table.at(directory))) {
        for (int j = 0; j < ChangesUntilKilled.KEYS; j++) {
          writer.put(ChangesUntilKilled.key(name(i), j), new byte[] {'0'});
        }
        writer.publish();
      }
    }
    int[] numbers = new int[RIVALS];
    try (campaign;
        TableReader live =
            TableReader.builder(directory).refreshEvery(Duration.ofMillis(5)).open()) {
      while (campaign.nextRound()) {
        round(live, numbers, campaign.random());
        campaign.count("rounds");
      }
    }
  }

  private static String name(int rival) {
    return (char) ('a' + rival) + "-";
  }

  private void round(TableReader live, int[] numbers, Random random) throws Exception {
    String what = "seed " + campaign.seed();
    List<Process> rivals = new ArrayList<>();
    List<BufferedReader> outputs = new ArrayList<>();
    try {
      for (int i = 0; i < RIVALS; i++) {
        Process rival =
            ChildProcess.start(
                ChangesUntilKilled.class,
                directory.toString(),
                name(i),
                Integer.toString(numbers[i]),
                Long.toString(random.nextLong()));
        rivals.add(rival);
        outputs.add(rival.inputReader());
      }
      for (int i = 0; i < RIVALS; i++) {
        int said = numbers[i];
        for (int lines = random.nextInt(30); lines >= 0; lines--) {
          String line = outputs.get(i).readLine();
          assertThat(line).as(what + ": number of a change").isNotNull();
          said = Integer.parseInt(line);
          campaign.count("changes");
          assertOneNumber(live, i, what);
        }
        rivals.get(i).destroyForcibly().waitFor();
        campaign.count("kills");
        try (SnapshotReader reader = SnapshotReader.open(directory)) {
          numbers[i] = number(reader, i, what);
          assertThat(numbers[i]).as(what).isGreaterThanOrEqualTo(said);
        }
      }
    } finally {
      for (Process rival : rivals) {
        rival.destroyForcibly().waitFor();
      }
    }
    Table table = Table.at(directory);
    table.sweep(Duration.ofSeconds(-10));
    SnapshotVerifier.verify(directory.resolve("snapshots").resolve(table.requireCurrentVersion()));
  }

  private static void assertOneNumber(TableReader live, int rival, String what) throws IOException {
    try (TableReader.Lease lease = live.lease()) {
      number(lease.reader(), rival, what);
    }
  }

  /** Returns the number that all keys of a process have. */
  private static int number(SnapshotReader reader, int rival, String what) throws IOException {
    byte[] first = reader.get(ChangesUntilKilled.key(name(rival), 0));
    assertThat(first).as(what).isNotNull();
    for (int i = 1; i < ChangesUntilKilled.KEYS; i++) {
      assertThat(reader.get(ChangesUntilKilled.key(name(rival), i))).as(what).isEqualTo(first);
    }
    return Integer.parseInt(new String(first, US_ASCII));
  }
}
