package io.bsdb.live;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.testkit.ChildProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Follows a log from another process, which is killed and goes on where it was. */
class ChangeReaderProcessTest {
  private static final String FOLLOWER = "replica";
  private static final int KEYS = 50;

  @TempDir Path directory;

  private final Map<String, String> replica = new HashMap<>();
  private final List<String> changes = new ArrayList<>();
  private LogPosition position = LogPosition.START;

  /** Changes since the last position: those are handed out again after a kill. */
  private int pending;

  private static byte[] bytes(String text) {
    return text.getBytes(US_ASCII);
  }

  @Test
  void aReplicaInAnotherProcessSeesEachChangeInOrder() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed of the changes: " + seed);
    Random random = new Random(seed);
    Map<String, String> model = new HashMap<>();
    List<String> written = new ArrayList<>();
    try (WritableTable table = WritesUntilKilled.open(directory, Durability.COMMIT)) {
      ChangeReader.from(directory, FOLLOWER, position)
          .close(); // from now on the log is kept for it
      Process first = start();
      try (BufferedReader output = first.inputReader()) {
        write(table, model, written, random, 300);
        while (changes.size() < 100) {
          String line = output.readLine();
          assertThat(line).as("seed %d", seed).isNotNull();
          apply(line);
        }
        first.toHandle().destroyForcibly(); // unlike the process, keeps what it printed
        output.lines().forEach(this::apply);
      } finally {
        first.destroyForcibly().waitFor();
      }
      changes.subList(changes.size() - pending, changes.size()).clear();
      pending = 0;
      write(table, model, written, random, 300);
      table.put(bytes(FollowsUntilKilled.LAST), bytes("x"));
      model.put(FollowsUntilKilled.LAST, "x");
      written.add(FollowsUntilKilled.LAST + " +x");
    }
    Process second = start();
    try (BufferedReader output = second.inputReader()) {
      output.lines().forEach(this::apply);
      assertThat(second.waitFor()).isZero();
    } finally {
      second.destroyForcibly();
    }
    assertThat(changes).as("seed %d", seed).isEqualTo(written);
    assertThat(replica).as("seed %d", seed).isEqualTo(model);
  }

  private static void write(
      WritableTable table,
      Map<String, String> model,
      List<String> written,
      Random random,
      int count)
      throws IOException {
    for (int i = 0; i < count; i++) {
      String key = "key" + random.nextInt(KEYS);
      if (random.nextInt(4) == 0) {
        table.delete(bytes(key));
        model.remove(key);
        written.add(key + " -");
      } else {
        String value = "value" + random.nextInt();
        table.put(bytes(key), bytes(value));
        model.put(key, value);
        written.add(key + " +" + value);
      }
      if (i % 100 == 50) {
        table.compact();
      }
    }
  }

  private Process start() throws IOException {
    return ChildProcess.start(
        FollowsUntilKilled.class, directory.toString(), FOLLOWER, position.toString());
  }

  private void apply(String line) {
    if (!line.endsWith(FollowsUntilKilled.END)) {
      return; // not whole
    }
    String change = line.substring(0, line.length() - FollowsUntilKilled.END.length());
    String[] words = change.split(" ", -1);
    if (words[0].equals("at")) {
      position = LogPosition.parse(words[1]);
      pending = 0;
      return;
    }
    changes.add(change);
    pending++;
    if (words[1].equals("-")) {
      replica.remove(words[0]);
    } else {
      replica.put(words[0], words[1].substring(1));
    }
  }
}
