package io.bsdb.live;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.testkit.ChildProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a process that writes, and looks for everything that it had acknowledged. */
class KilledWriterTest {
  /** Tables that are written at the same time. */
  private static final int TABLES = 2;

  /** Exit status of a process ended by SIGKILL. */
  private static final int KILLED = 128 + 9;

  @TempDir Path directory;

  @Test
  void losesNothingThatWasAcknowledged() throws Exception {
    kill(6);
  }

  @Test
  @Tag("kills")
  void losesNothingThatWasAcknowledgedInAThousandKills() throws Exception {
    kill(1_000);
  }

  private void kill(int times) throws Exception {
    long seed = Long.getLong("campaign.seed", System.nanoTime());
    System.out.println("kills of a writer: -Dcampaign.seed=" + seed);
    ExecutorService pool = Executors.newFixedThreadPool(TABLES);
    try {
      List<Future<Long>> killed = new ArrayList<>();
      for (int i = 0; i < TABLES; i++) {
        Path table = directory.resolve("table" + i);
        long tableSeed = seed + i;
        killed.add(pool.submit(() -> kill(table, times / TABLES, tableSeed)));
      }
      long changes = 0;
      for (Future<Long> one : killed) {
        changes += one.get();
      }
      System.out.println("kills=" + times + " acknowledged changes=" + changes);
    } finally {
      pool.shutdown();
    }
  }

  /** Returns the number of changes that were acknowledged. */
  private static long kill(Path table, int times, long seed) throws Exception {
    Random random = new Random(seed);
    int[] numbers = new int[WritesUntilKilled.THREADS];
    for (int i = 0; i < times; i++) {
      String what = "seed " + seed + " kill " + i;
      run(table, numbers, i, random, what);
      check(table, numbers, what);
    }
    return Arrays.stream(numbers).sum();
  }

  /** Has a process go on until it is killed; notes what it acknowledged. */
  private static void run(Path table, int[] numbers, int kill, Random random, String what)
      throws Exception {
    List<String> arguments = new ArrayList<>();
    arguments.add(table.toString());
    arguments.add((kill % 2 == 0 ? Durability.COMMIT : Durability.OS).name());
    arguments.add(Long.toString(random.nextLong()));
    for (int number : numbers) {
      arguments.add(Integer.toString(number));
    }
    Process writer = ChildProcess.start(WritesUntilKilled.class, arguments.toArray(new String[0]));
    try (BufferedReader output = writer.inputReader()) {
      note(output.readLine(), numbers, what);
      if (kill % 20 == 0) {
        assertThatThrownBy(() -> WritableTable.open(table))
            .hasMessageContaining("open for writing in another process");
      }
      for (int lines = random.nextInt(300); lines > 0; lines--) {
        note(output.readLine(), numbers, what);
      }
      writer.toHandle().destroyForcibly(); // unlike the process, keeps what it printed
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.matches("[0-9] [0-9]+")) {
          note(line, numbers, what);
        }
      }
      assertThat(writer.waitFor()).as("%s: exit status", what).isEqualTo(KILLED);
    } finally {
      writer.destroyForcibly().waitFor();
    }
  }

  private static void note(String line, int[] numbers, String what) {
    assertThat(line).as(what).isNotNull();
    String[] words = line.split(" ", -1);
    int thread = Integer.parseInt(words[0]);
    numbers[thread] = Math.max(numbers[thread], Integer.parseInt(words[1]));
  }

  /** Sets the numbers to what is there. */
  private static void check(Path path, int[] numbers, String what) throws IOException {
    try (WritableTable table = WritesUntilKilled.open(path, Durability.COMMIT)) {
      for (int thread = 0; thread < numbers.length; thread++) {
        int last = number(table, WritesUntilKilled.last(thread));
        assertThat(last).as(what).isGreaterThanOrEqualTo(numbers[thread]);
        for (int i = Math.max(1, last - WritesUntilKilled.KEYS + 1); i <= last; i++) {
          assertThat(number(table, WritesUntilKilled.key(thread, i))).as(what).isEqualTo(i);
        }
        numbers[thread] = last;
      }
    }
  }

  private static int number(WritableTable table, byte[] key) throws IOException {
    byte[] value = table.get(key);
    return value == null ? 0 : Integer.parseInt(new String(value, US_ASCII));
  }
}
