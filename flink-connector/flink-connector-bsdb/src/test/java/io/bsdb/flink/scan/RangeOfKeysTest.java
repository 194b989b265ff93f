package io.bsdb.flink.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.KeyRange;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RangeOfKeysTest {
  private static final long SEED = new Random().nextLong();

  @TempDir Path directory;

  /** Short, of few bytes, so that many are prefixes of others. */
  private static byte[] key(Random random, int least) {
    byte[] key = new byte[least + random.nextInt(4)];
    for (int i = 0; i < key.length; i++) {
      key[i] = new byte[] {0, 1, 'a', -1}[random.nextInt(4)];
    }
    return key;
  }

  private static boolean isIn(Extent.RowsOfRange range, byte[] key) {
    int length = Math.min(key.length, range.last().length);
    return Arrays.compareUnsigned(key, range.first()) >= 0
        && Arrays.compareUnsigned(key, 0, length, range.last(), 0, range.last().length) <= 0;
  }

  private static List<byte[]> read(SnapshotReader reader, KeyRange range) throws IOException {
    List<byte[]> keys = new ArrayList<>();
    try (RecordCursor records = reader.ordered().range(range)) {
      while (records.next()) {
        keys.add(records.key());
      }
    }
    return keys;
  }

  @Test
  void partitionsTogetherHaveTheKeysOfARange() throws Exception {
    Random random = new Random(SEED);
    TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
    for (int i = 0; i < 120; i++) {
      keys.add(key(random, 1));
    }
    WriterOptions options = WriterOptions.builder().order(RecordOrder.KEY).partitions(7).build();
    new Records(List.copyOf(keys), List.copyOf(keys)).publish(directory, options);
    String version = Table.at(directory).requireCurrentVersion();

    try (SnapshotReader reader =
        SnapshotReader.open(
            directory.resolve("snapshots").resolve(version), ReaderOptions.defaults())) {
      Partitioning partitioning = reader.manifest().partitioning();
      assertThat(partitioning.count()).isGreaterThan(4);
      for (int i = 0; i < 2_000; i++) {
        Extent.RowsOfRange range = new Extent.RowsOfRange(key(random, 0), key(random, 0));
        RangeOfKeys cut = new RangeOfKeys(range, partitioning);
        List<byte[]> expected = keys.stream().filter(key -> isIn(range, key)).toList();
        List<byte[]> found = new ArrayList<>();
        int opened = 0;
        for (int partition = 0; partition < partitioning.count(); partition++) {
          if (cut.overlaps(partition)) {
            opened++;
            found.addAll(read(reader, cut.within(partition)));
          }
        }
        assertThat(found)
            .as(
                "seed=%d range=%s to %s",
                SEED, Arrays.toString(range.first()), Arrays.toString(range.last()))
            .containsExactlyElementsOf(expected);
        assertThat((long) opened)
            .as("seed=%d", SEED)
            .isLessThanOrEqualTo(
                expected.stream().mapToInt(partitioning::partition).distinct().count() + 1);
      }
    }
  }
}
