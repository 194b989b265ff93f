package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(NothingLeftOpen.class)
class EvictedBlocksTest {
  private static final int BLOCK_BYTES = 1 << 16;
  private static final int THREADS = 64;

  @TempDir Path table;

  /** Decoders, of which threads tend to have one each, must not keep what they decoded last. */
  @Test
  void takeNoMemory() throws Exception {
    TestData data = TestData.random(31, 1_500, Lengths.FIXED, Lengths.FIXED, 3_000);
    data.publish(
        table, WriterOptions.builder().layout(Layout.COMPRESSED).blockSize(BLOCK_BYTES).build());
    ReaderOptions options =
        ReaderOptions.builder().access(Access.MAPPED).blockCacheBytes(4 * BLOCK_BYTES).build();
    try (SnapshotReader reader = SnapshotReader.open(table, options)) {
      long before = reachable();
      for (int i = 0; i < THREADS; i++) {
        int first = i;
        FutureTask<Boolean> lookups = new FutureTask<>(() -> found(reader, data, first));
        new Thread(lookups, "lookups").start();
        assertThat(lookups.get()).isTrue();
      }
      assertThat(reachable() - before).isLessThan(THREADS / 4 * BLOCK_BYTES);
    }
  }

  private static boolean found(SnapshotReader reader, TestData data, int first) throws IOException {
    for (int i = first; i < data.count(); i += THREADS) {
      assertThat(reader.get(data.keys().get(i))).isEqualTo(data.values().get(i));
    }
    return true;
  }

  /** Returns the bytes of the heap that can be reached. */
  private static long reachable() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
