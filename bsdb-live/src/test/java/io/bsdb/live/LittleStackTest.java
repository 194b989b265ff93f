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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What begins with too little stack fails, and others use the table further. */
@Timeout(120)
class LittleStackTest {
  @TempDir Path table;

  /** Else writers wait for ever for a cursor's thread. */
  @Test
  void opensCursors() throws Exception {
    run("-XX:TieredStopAtLevel=1", "cursors");
  }

  /** Else a class whose initialization failed can never be used again. */
  @Test
  void publishes() throws Exception {
    run("-Xint", "publish");
  }

  private void run(String jit, String what) throws Exception {
    ChildProcess.Result result =
        ChildProcess.run(
            ChildProcess.of(
                List.of(), List.of(jit, "-Xmx256m"), FromTheEnd.class, table.toString(), what));
    assertThat(result.lines()).contains("all there");
  }

  /** Tries something where the stack ends, then with a little more of it, until it succeeds. */
  static final class FromTheEnd {
    private static final int CURSORS = 5;

    private interface Step {
      void run() throws IOException;
    }

    private static volatile boolean ended;

    private FromTheEnd() {}

    public static void main(String[] arguments) throws Exception {
      StackThread.start(0, () -> run(Path.of(arguments[0]), arguments[1])).get(60, SECONDS);
      System.out.println("all there");
    }

    private static boolean run(Path directory, String what) throws Exception {
      try (WritableTable table = WritableTable.open(directory)) {
        table.put(bytes(0), bytes(0));
        if (what.equals("publish")) {
          fromTheEnd(table::publish, 50);
        } else {
          openCursors(table);
        }
      }
      return true;
    }

    private static void openCursors(WritableTable table) throws Exception {
      List<FutureTask<Integer>> writers = new ArrayList<>();
      for (int i = 1; i <= 2; i++) {
        byte[] key = bytes(i);
        writers.add(StackThread.start(0, () -> write(table, key)));
      }
      for (int i = 0; i < CURSORS; i++) {
        fromTheEnd(() -> table.cursor().close(), 1);
      }
      ended = true;
      for (int i = 1; i <= writers.size(); i++) {
        int last = writers.get(i - 1).get();
        assertThat(table.get(bytes(i))).isEqualTo(bytes(last));
      }
    }

    private static int write(WritableTable table, byte[] key) throws IOException {
      int number = 0;
      while (!ended) {
        number++;
        table.put(key, bytes(number));
      }
      return number;
    }

    private static byte[] bytes(int number) {
      return Integer.toString(number).getBytes(US_ASCII);
    }

    /**
     * @param calls by which the stack is shorter at each try
     */
    private static void fromTheEnd(Step step, int calls) throws Exception {
      assertThat(StackThread.start(StackThread.LITTLE, () -> succeeds(step, calls, 0)).get())
          .isTrue();
    }

    private static boolean succeeds(Step step, int calls, int depth) throws IOException {
      try {
        if (depth < Integer.MAX_VALUE && succeeds(step, calls, depth + 1)) {
          return true;
        }
        if (depth % calls == 0) {
          step.run();
          return true;
        }
      } catch (StackOverflowError tooLittle) {
        // Further up there is more.
      }
      return false;
    }
  }
}
