package io.bsdb.reader;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.ChildProcess;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.WriterOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Lookups in a recursion that never ends, as when parents are looked up and one is its own. */
@Timeout(120)
class DeepRecursionTest {
  @TempDir Path table;

  /** The close of a reader waits for its lookups: none may seem to be in flight still. */
  @Test
  void endsItsLookups() throws Exception {
    TestData data = TestData.random(9, 20, Lengths.VARYING, Lengths.VARYING, 300);
    data.publish(table, WriterOptions.builder().order(RecordOrder.KEY).partitions(1).build());
    // With the optimizing compiler, which leaves the ends of failed lookups to the interpreter.
    ChildProcess.Result result =
        ChildProcess.run(
            ChildProcess.of(
                List.of(), List.of("-XX:TieredStopAtLevel=4"), Recursions.class, table.toString()));
    assertThat(result.lines()).contains("closed after 1500 recursions");
  }

  private interface Lookup {
    void run() throws Exception;
  }

  /** Ends many recursions, each by some frames deeper than others, and closes the reader. */
  static final class Recursions {
    private static final int COUNT = 1500;

    public static void main(String[] arguments) throws Exception {
      FutureTask<Integer> recursions = new FutureTask<>(() -> overflows(Path.of(arguments[0])));
      Thread thread = new Thread(null, recursions, "recursions", 256 << 10);
      // One that waits for ever must not keep this process.
      thread.setDaemon(true);
      thread.start();
      System.out.println("closed after " + recursions.get(60, SECONDS) + " recursions");
    }

    private static int overflows(Path table) throws Exception {
      byte[] key = "key".getBytes(StandardCharsets.UTF_8);
      try (SnapshotReader reader = SnapshotReader.open(table)) {
        return overflows(
            List.of(
                () -> reader.get(key),
                () -> reader.getAll(List.of(key, key)),
                () -> reader.ordered().floor(key)));
      }
    }

    private static int overflows(List<Lookup> lookups) throws Exception {
      int overflows = 0;
      for (int i = 0; i < COUNT; i++) {
        try {
          recur(i % 61, lookups.get(i % lookups.size()));
        } catch (StackOverflowError e) {
          overflows++;
        }
      }
      return overflows;
    }

    private static long recur(int before, Lookup lookup) throws Exception {
      if (before <= 0) {
        lookup.run();
      }
      return before == Integer.MIN_VALUE ? 0 : recur(before - 1, lookup) + 1;
    }
  }
}
