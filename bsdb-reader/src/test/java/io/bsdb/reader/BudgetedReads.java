package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.Records.Lengths;
import io.bsdb.writer.options.WriterOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tables and readers for tests of memory budgets. */
final class BudgetedReads {
  static final int RECORDS = 200_000;
  static final long PLENTY = 64 << 20;

  /** Two, which all tests share: to make them takes longer than all else. */
  private static final Map<Integer, TestData> DATA = new HashMap<>();

  private BudgetedReads() {}

  static void forgetData() {
    DATA.clear();
  }

  static MemoryBudget budget(long bytes) {
    return MemoryBudget.of(bytes, Duration.ZERO);
  }

  static ReaderOptions.Builder options(MemoryBudget memory) {
    return ReaderOptions.builder().access(Access.DIRECT).memory(memory);
  }

  static WriterOptions.Builder writer(RecordOrder order) {
    return WriterOptions.builder().order(order).partitions(3).blockSize(4096);
  }

  static TestData data(int seed) {
    return DATA.computeIfAbsent(
        seed % 2, made -> TestData.random(made, RECORDS, Lengths.FIXED, Lengths.FIXED, 12));
  }

  static byte[] absent(int number) {
    return ByteBuffer.allocate(12).putInt(1).putInt(number).putInt(7).array();
  }

  static void askForAbsent(SnapshotReader reader, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      assertThat(reader.get(absent(i))).isNull();
    }
  }

  static void assertSomeFound(TestData data, SnapshotReader reader) throws Exception {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < data.count(); i += Math.max(1, data.count() / 300)) {
      assertThat(reader.get(data.keys().get(i))).isEqualTo(data.values().get(i));
      keys.add(data.keys().get(i));
    }
    assertThat(reader.getAll(keys)).doesNotContainNull();
  }

  static void adjust(MemoryBudget memory) {
    memory.elastic().adjust(Duration.ofSeconds(10));
  }
}
