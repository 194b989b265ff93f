package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(NothingLeftOpen.class)
class EvictedBlocksTest {
  private static final int PARTITIONS = 32;
  private static final int BLOCK_BYTES = 1 << 16;

  @TempDir Path table;

  /** The decoders of each partition must not keep the block that they decoded last. */
  @Test
  void takeNoMemory() throws Exception {
    TestData data = TestData.random(31, 1_500, Lengths.FIXED, Lengths.FIXED, 3_000);
    data.publish(
        table,
        WriterOptions.builder()
            .layout(Layout.COMPRESSED)
            .blockSize(BLOCK_BYTES)
            .partitions(PARTITIONS)
            .build());
    ReaderOptions options =
        ReaderOptions.builder()
            .access(Access.DIRECT)
            .blockCacheBytes(PARTITIONS * BLOCK_BYTES / 8)
            .build();
    try (SnapshotReader reader = SnapshotReader.open(table, options)) {
      assertThat(reader.get(data.keys().get(0))).isEqualTo(data.values().get(0));
      long before = reachable();
      data.assertFoundIn(reader);
      assertThat(reachable() - before).isLessThan(PARTITIONS * BLOCK_BYTES / 2);
    }
  }

  /**
   * Returns the bytes of buffers that can be reached: the others go some time after a collection.
   */
  private static long reachable() throws InterruptedException {
    long bytes = Long.MAX_VALUE;
    for (int unchanged = 0; unchanged < 3; unchanged++) {
      System.gc();
      Thread.sleep(50);
      long now = OffHeap.bytes();
      if (now < bytes) {
        bytes = now;
        unchanged = 0;
      }
    }
    return bytes;
  }
}
