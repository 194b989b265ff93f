package io.bsdb.reader;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.AccessContractTest.Way;
import io.bsdb.reader.metrics.LatencyHistogram;
import io.bsdb.reader.metrics.ReaderMetrics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every counter, after lookups whose cost is known. */
@ExtendWith(NothingLeftOpen.class)
class ReaderMetricsTest {
  private static final int ABSENT = 500;

  @TempDir Path directory;
  private FaultyTable table;
  private int count;

  @BeforeEach
  void publish() throws Exception {
    table = new FaultyTable(directory);
    count = table.data.count();
  }

  private void getAllOneByOne(SnapshotReader reader) throws IOException {
    for (byte[] key : table.data.keys()) {
      assertThat(reader.get(key)).isNotNull();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MAPPED", "RESIDENT", "DIRECT", "IO_URING"})
  void lookupsAreHitsOrMisses(Way way) throws Exception {
    List<byte[]> absent = table.data.absentKeys(ABSENT);
    try (SnapshotReader reader = table.open(way.options())) {
      ReaderMetrics metrics = reader.metrics();
      getAllOneByOne(reader);
      reader.getAll(table.data.keys());
      reader.async().get(table.key(0)).join();
      reader.async().getAll(absent).join();
      assertThat(metrics.hits()).isEqualTo(2L * count + 1);
      assertThat(metrics.misses()).isEqualTo(absent.size());
      assertThat(metrics.lookups()).isEqualTo(2L * count + 1 + absent.size());
      assertThat(metrics.failures()).isZero();
      assertThat(reader.async().metrics()).isSameAs(metrics);
    }
  }

  @Test
  void readsFromDiskAreCountedAndTimed() throws Exception {
    try (SnapshotReader reader = table.open(Way.DIRECT.options())) {
      ReaderMetrics metrics = reader.metrics();
      getAllOneByOne(reader);
      assertThat(metrics.blockReads()).isEqualTo(count);
      assertThat(metrics.bytesRead()).isEqualTo((long) count * FaultyTable.PAGE);
      LatencyHistogram latency = metrics.readLatency();
      assertThat(latency.count()).isEqualTo(count);
      assertThat(latency.quantile(0.5)).isPositive().isLessThanOrEqualTo(latency.quantile(1));
      assertThat(metrics.readsInFlight()).isZero();
    }
  }

  @Test
  void scansReadSeveralBlocksAtOnce() throws Exception {
    try (SnapshotReader reader = table.open(Way.DIRECT_CACHED.options());
        RecordCursor cursor = reader.scan()) {
      while (cursor.next()) {
        assertThat(cursor.value()).isNotNull();
      }
      ReaderMetrics metrics = reader.metrics();
      assertThat(metrics.blockReads()).isLessThan(metrics.bytesRead() / FaultyTable.PAGE / 2);
      assertThat(metrics.cacheMisses()).as("the block cache is left alone").isZero();
    }
  }

  /** An absent key costs a read only if its signature agrees with that of its rank. */
  @Test
  void signaturesSaveReads() throws Exception {
    List<byte[]> absent = table.data.absentKeys(ABSENT);
    try (SnapshotReader reader = table.open(Way.DIRECT.options())) {
      for (byte[] key : absent) {
        assertThat(reader.get(key)).isNull();
      }
      ReaderMetrics metrics = reader.metrics();
      long impossible = absent.stream().filter(key -> key.length == 0).count();
      assertThat(metrics.signatureRejects() + metrics.blockReads())
          .isEqualTo(absent.size() - impossible);
      assertThat(metrics.signatureRejects()).isGreaterThan(absent.size() * 3L / 4);
    }
  }

  @Test
  void theCacheCountsHitsAndMisses() throws Exception {
    try (SnapshotReader reader = table.open(Way.DIRECT_CACHED.options())) {
      ReaderMetrics metrics = reader.metrics();
      getAllOneByOne(reader);
      assertThat(metrics.cacheMisses()).isEqualTo(metrics.blockReads()).isPositive();
      assertThat(metrics.cacheHits() + metrics.cacheMisses()).isEqualTo(count);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"DIRECT", "IO_URING"})
  void lookupsThatFailAreCounted(Way way) throws Exception {
    table.fault =
        (position, length) -> {
          throw new IOException("injected");
        };
    table.readACopy();
    try (SnapshotReader reader = table.open(way.options())) {
      table.shortenTo(1);
      assertThat(table.failure(reader, 0)).hasMessageEndingWith("injected");
      assertThat(table.failure(reader.async().get(table.key(1)), 1))
          .hasMessageEndingWith("injected");
      assertThat(reader.metrics().failures()).isEqualTo(2);
      assertThat(reader.metrics().lookups()).isZero();
    }
  }

  @Test
  void sayWhatReadsReally() throws Exception {
    try (SnapshotReader reader = table.open(Way.MAPPED.options())) {
      assertThat(reader.metrics().effectiveAccess()).isEqualTo("MAPPED");
    }
    try (SnapshotReader reader = table.open(Way.DIRECT.options())) {
      reader.async();
      assertThat(reader.metrics().effectiveAccess()).isEqualTo("DIRECT");
    }
  }
}
