package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.ChildProcess;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.testkit.StackThread;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
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
    assertThat(result.lines()).contains("closed after 1560 recursions");
  }

  /** A lookup that loads a block into the cache is waited for by others. */
  @Test
  void loadsBlocksOrDoesNotBegin() throws Exception {
    ChildProcess.Result result =
        ChildProcess.run(
            ChildProcess.of(
                List.of(),
                List.of("-XX:TieredStopAtLevel=4"),
                CachedRecursions.class,
                table.toString()));
    assertThat(result.lines()).contains("looked up again");
  }

  /** zstd refuses to free what is in use, and a decoder seems to be if a lookup could not end. */
  @Test
  void closesWhatDecompresses() throws Exception {
    ChildProcess.Result result =
        ChildProcess.run(
            ChildProcess.of(
                List.of(),
                List.of("-XX:TieredStopAtLevel=4"),
                CompressedRecursions.class,
                table.toString()));
    assertThat(result.lines()).contains("closed");
  }

  private interface Lookup {
    boolean run() throws Exception;
  }

  /** Ends many recursions, each by some frames deeper than others, and closes the reader. */
  static final class Recursions {
    private static final int COUNT = 1500;
    private static final int COUNT_OF_FUTURES = 60;

    public static void main(String[] arguments) throws Exception {
      int recursions =
          StackThread.start(StackThread.LITTLE, () -> overflows(Path.of(arguments[0]))).get();
      System.out.println("closed after " + recursions + " recursions");
    }

    private static int overflows(Path table) throws Exception {
      byte[] key = "key".getBytes(StandardCharsets.UTF_8);
      try (SnapshotReader reader = SnapshotReader.open(table);
          AsyncSnapshotReader futures = reader.async()) {
        return overflows(
                List.of(
                    () -> reader.get(key) == null,
                    () -> reader.getAll(List.of(key, key)).isEmpty(),
                    () -> reader.ordered().floor(key) == null),
                COUNT)
            + overflows(
                List.of(
                    () -> futures.get(key).isDone(),
                    () -> futures.getAll(List.of(key, key)).isDone(),
                    () -> futures.ordered().floor(key).isDone()),
                COUNT_OF_FUTURES);
      }
    }

    private static int overflows(List<Lookup> lookups, int count) throws Exception {
      int overflows = 0;
      for (int i = 0; i < count; i++) {
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
        boolean unused = lookup.run();
      }
      return before == Integer.MIN_VALUE ? 0 : recur(before - 1, lookup) + 1;
    }
  }

  /** Ends a recursion beside a cache that has no block, and looks all keys up afterwards. */
  static final class CachedRecursions {
    private static final int COUNT = 40;

    /** How many lookups are made before each end, each in another block. */
    private static final int LOOKUPS = 60;

    private static final TestData DATA =
        TestData.random(9, 300, Lengths.VARYING, Lengths.FIXED, 3000);

    /** How deep the last recursion was. */
    private static int depth;

    public static void main(String[] arguments) throws Exception {
      Path table = Path.of(arguments[0]);
      DATA.publish(table, WriterOptions.builder().order(RecordOrder.KEY).partitions(1).build());
      ReaderOptions options =
          ReaderOptions.builder().access(Access.DIRECT).blockCacheBytes(4 << 20).build();
      for (int i = 0; i < COUNT; i++) {
        try (SnapshotReader reader = SnapshotReader.open(table, options)) {
          overflow(reader, LOOKUPS);
          DATA.assertFoundIn(reader);
        }
      }
      System.out.println("looked up again");
    }

    /**
     * Ends a recursion in a thread of its own.
     *
     * @param lookups made before the end
     */
    static void overflow(SnapshotReader reader, int lookups) throws Exception {
      StackThread.start(StackThread.LITTLE, () -> recur(reader, lookups)).get();
    }

    private static boolean recur(SnapshotReader reader, int lookups) throws IOException {
      int before = depth - lookups;
      depth = 0;
      try {
        recur(before, reader);
        return false;
      } catch (StackOverflowError expected) {
        return true;
      }
    }

    private static long recur(int before, SnapshotReader reader) throws IOException {
      depth++;
      if (before <= 0) {
        reader.get(DATA.keys().get(depth % DATA.count()));
      }
      return before == Integer.MIN_VALUE ? 0 : recur(before - 1, reader) + 1;
    }
  }

  /** Ends recursions in readers whose decoders are new, after ever more lookups. */
  static final class CompressedRecursions {
    private static final int COUNT = 100;

    public static void main(String[] arguments) throws Exception {
      Path table = Path.of(arguments[0]);
      WriterOptions layout =
          WriterOptions.builder().layout(Layout.COMPRESSED).partitions(1).build();
      CachedRecursions.DATA.publish(table, layout);
      for (int lookups = 0; lookups < COUNT; lookups++) {
        try (SnapshotReader reader = SnapshotReader.open(table)) {
          CachedRecursions.overflow(reader, lookups);
        }
      }
      System.out.println("closed");
    }
  }
}
