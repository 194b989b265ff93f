package io.bsdb.live;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.testkit.ChildProcess;
import io.bsdb.testkit.StackThread;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Writes in a recursion that never ends: other writers must not wait for its thread. */
@Timeout(120)
class DeepRecursionTest {
  @TempDir Path table;

  @ParameterizedTest
  @ValueSource(strings = {"-XX:TieredStopAtLevel=4", "-XX:TieredStopAtLevel=1"})
  void writesOrDoesNotBegin(String jit) throws Exception {
    ChildProcess.Result result =
        ChildProcess.run(
            ChildProcess.of(
                List.of(), List.of(jit, "-Xmx256m"), Recursions.class, table.toString()));
    assertThat(result.lines()).contains("all there");
  }

  /** Ends many recursions beside other writers, closes the table and opens it again. */
  static final class Recursions {
    private static final int COUNT = 150;
    private static final int OTHERS = 2;

    /** How many changes are written before each end. */
    private static final int CHANGES = 60;

    private final WritableTable table;
    private volatile boolean ended;

    /** How deep the last recursion was. */
    private int depth;

    /** The last number that the recursions have written. */
    private int written;

    private Recursions(WritableTable table) {
      this.table = table;
    }

    public static void main(String[] arguments) throws Exception {
      StackThread.start(0, () -> run(Path.of(arguments[0]))).get(60, SECONDS);
      System.out.println("all there");
    }

    private static boolean run(Path directory) throws Exception {
      WritableTable table = open(directory);
      Recursions recursions = new Recursions(table);
      List<FutureTask<Integer>> others = new ArrayList<>();
      for (int i = 0; i < OTHERS; i++) {
        String key = "other" + i;
        others.add(StackThread.start(0, () -> recursions.writeBeside(key)));
      }
      StackThread.start(StackThread.LITTLE, recursions::end).get();
      recursions.ended = true;
      List<Integer> last = new ArrayList<>();
      for (FutureTask<Integer> other : others) {
        last.add(other.get());
      }
      table.close();
      try (WritableTable again = open(directory)) {
        for (int i = 0; i < OTHERS; i++) {
          assertThat(number(again, "other" + i)).isEqualTo(last.get(i));
        }
        assertThat(number(again, "recursion")).isEqualTo(recursions.written);
      }
      return true;
    }

    private static WritableTable open(Path directory) throws IOException {
      return LiveTable.open(
          directory,
          WritableOptions.defaults().withDurability(Durability.OS),
          Places.onDisk(1 << 16, LiveTable.PUBLISHED_SEGMENTS));
    }

    private static int number(WritableTable table, String key) throws IOException {
      byte[] value = table.get(key.getBytes(US_ASCII));
      return value == null ? 0 : Integer.parseInt(new String(value, US_ASCII));
    }

    private static byte[] bytes(int number) {
      return Integer.toString(number).getBytes(US_ASCII);
    }

    private int writeBeside(String key) throws IOException {
      int number = 0;
      while (!ended) {
        number++;
        table.put(key.getBytes(US_ASCII), bytes(number));
      }
      return number;
    }

    private boolean end() throws IOException {
      byte[] key = "recursion".getBytes(US_ASCII);
      for (int i = 0; i < COUNT; i++) {
        int before = depth - CHANGES;
        depth = 0;
        try {
          recur(before, key);
        } catch (StackOverflowError expected) {
          // as it is to
        }
        // Waits for all that have begun to write the key.
        if (!table.compareAndSet(key, bytes(written), bytes(written))) {
          throw new AssertionError("after " + written + ": " + number(table, "recursion"));
        }
      }
      return true;
    }

    private long recur(int before, byte[] key) throws IOException {
      depth++;
      if (before <= 0) {
        byte[] value = bytes(written + 1);
        table.put(key, value);
        written++;
      }
      return before == Integer.MIN_VALUE ? 0 : recur(before - 1, key) + 1;
    }
  }
}
