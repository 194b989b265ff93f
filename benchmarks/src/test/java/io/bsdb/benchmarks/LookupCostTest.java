package io.bsdb.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.bsdb.benchmarks.harness.Measure;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.harness.Workload.Queries;
import io.bsdb.format.SectionKind;
import io.bsdb.format.ValueReader;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.metrics.ReaderMetrics;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.SnapshotParts;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.storage.DirectoryTree;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Guards what a lookup and a record cost where it can be counted: bytes allocated, reads, pages,
 * bits. A loaded machine changes none of it.
 */
@Tag("optimized")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LookupCostTest {
  private static final int RECORDS = 200_000;
  private static final int CALLS = 1 << 14;
  private static final int VALUE_ARRAY = 16 + Workload.VALUE_LENGTH + 4; // rounded up to 8

  /** The reader that knows the caller's buffer, likewise. */
  private static final int BUFFER_READER = 16;

  /** From Java 22 on, zstd-jni makes views of the buffers that it is given. */
  private static final int ZSTD_VIEWS = Runtime.version().feature() >= 22 ? 400 : 0;

  private final Workload workload = new Workload(RECORDS);
  private Queries queries;
  private Queries absent;

  @TempDir private static Path tables;

  @BeforeAll
  void build() throws IOException {
    queries = workload.queries(Keys.UNIFORM);
    absent = workload.queries(Keys.ABSENT);
    for (Layout layout : Layout.values()) {
      WriterOptions options = WriterOptions.builder().layout(layout).partitions(4).build();
      workload.publish(table(layout), options);
    }
  }

  private Path table(Layout layout) {
    return tables.resolve(layout.label());
  }

  private SnapshotReader open(Layout layout, Access access) throws IOException {
    return SnapshotReader.open(table(layout), ReaderOptions.builder().access(access).build());
  }

  private static int views(Layout layout) {
    return switch (layout) {
      case COMPRESSED, COMPRESSED_PAGES -> ZSTD_VIEWS;
      default -> 0;
    };
  }

  private interface Lookup {
    void of(SnapshotReader reader, int query) throws IOException;
  }

  /**
   * Checks the bytes that this thread allocates for all queries, the least of many runs: until the
   * optimizing compiler is done, and when it begins again, runs allocate more.
   *
   * @param most for all; a byte per query more is no further object: those of the measurement
   * @param batch queries of one lookup
   */
  private void assertAllocates(Layout layout, long most, int batch, Lookup lookup)
      throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long enough = most + (views(layout) + 1L) * CALLS;
    long least = Long.MAX_VALUE;
    try (SnapshotReader reader = open(layout, Access.MAPPED)) {
      for (int run = 0; run < 2_000 && least > enough; run++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < CALLS; i += batch) {
          lookup.of(reader, i);
        }
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
    }
    assertThat(least).isLessThanOrEqualTo(enough);
  }

  /** Returns what the values of all queries take. */
  private long values() {
    return VALUE_ARRAY * IntStream.range(0, CALLS).filter(queries::isPresent).count();
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void lendingAllocatesNothing(Layout layout) throws IOException {
    ValueReader<Boolean> lent = (index, bytes, offset, length) -> Boolean.TRUE;
    assertAllocates(layout, 0, 1, (reader, query) -> reader.get(queries.key(query), lent));
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void getIntoBufferAllocatesNoMoreThanItsReader(Layout layout) throws IOException {
    ByteBuffer target = ByteBuffer.allocateDirect(Workload.VALUE_LENGTH);
    assertAllocates(
        layout,
        (long) BUFFER_READER * CALLS,
        1,
        (reader, query) -> reader.get(queries.key(query), target.clear()));
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void getAllocatesNoMoreThanTheValue(Layout layout) throws IOException {
    assertAllocates(
        layout,
        values(),
        1,
        (reader, query) -> queries.check(query, reader.get(queries.key(query))));
  }

  /**
   * What a batch needs beside values: per key its hash, partition, rank, block, place in memory and
   * in the list (52 bytes), and as much again for what the compiler leaves of hashes and lists.
   */
  @ParameterizedTest
  @EnumSource(names = {"BLOCKED", "SYMBOLS"})
  void getAllAllocatesLittleBesideTheValues(Layout layout) throws IOException {
    List<List<byte[]>> batches = queries.batches(Measure.BATCH);
    assertAllocates(
        layout,
        values() + 95L * CALLS,
        Measure.BATCH,
        (reader, query) -> {
          List<byte[]> found = reader.getAll(batches.get(query / Measure.BATCH));
          for (int i = 0; i < Measure.BATCH; i++) {
            queries.check(query + i, found.get(i));
          }
        });
  }

  /**
   * Pages: a block that is not aligned to them touches up to one more; its share of all is less.
   */
  @ParameterizedTest
  @CsvSource({"BLOCKED, 1", "COMPACT, 2", "COMPRESSED, 2", "COMPRESSED_PAGES, 1", "SYMBOLS, 1"})
  void readsOnePerHit(Layout layout, double pages) throws IOException {
    int calls = 4096;
    try (SnapshotReader reader = open(layout, Access.DIRECT)) {
      int hits = 0;
      for (int i = 0; i < calls; i++) {
        byte[] value = reader.get(queries.key(i));
        queries.checkFully(i, value);
        hits += value == null ? 0 : 1;
      }
      ReaderMetrics metrics = reader.metrics();
      assertThat(metrics.hits()).isEqualTo(hits);
      long passed = calls - metrics.signatureRejects();
      assertThat(metrics.blockReads()).isEqualTo(passed).isBetween((long) hits, hits + 16L);
      assertThat(metrics.bytesRead()).isLessThanOrEqualTo((long) (pages * 4096 * passed));
    }
  }

  @Test
  void readsHardlyForAbsentKeys() throws IOException {
    try (SnapshotReader reader = open(Layout.BLOCKED, Access.DIRECT)) {
      for (int i = 0; i < CALLS; i++) {
        assertThat(reader.get(absent.key(i))).isNull();
      }
      // Signatures of 8 bits let one in 256 pass.
      assertThat(reader.metrics().blockReads()).isLessThan(CALLS / 150);
    }
  }

  /** A record is 116 bytes of key and value. */
  @ParameterizedTest
  @CsvSource({
    "BLOCKED, 120",
    "COMPACT, 119.5",
    "COMPRESSED, 56",
    "COMPRESSED_PAGES, 57",
    "SYMBOLS, 62"
  })
  void keepsFilesSmall(Layout layout, double bytesPerRecord) throws IOException {
    long bytes = DirectoryTree.length(table(layout).resolve("snapshots"));
    assertThat((double) bytes / RECORDS).isLessThan(bytesPerRecord);
  }

  @ParameterizedTest
  @CsvSource({
    "BLOCKED, PERFECT_HASH, 3.0",
    "BLOCKED, SIGNATURES, 8.1",
    "BLOCKED, BLOCK_INDEX, 0.1",
    "COMPACT, BLOCK_INDEX, 0.1",
    "COMPRESSED, BLOCK_INDEX, 0.4",
    "COMPRESSED_PAGES, BLOCK_INDEX, 0.4",
    "SYMBOLS, BLOCK_INDEX, 0.2"
  })
  void keepsTheIndexSmall(Layout layout, SectionKind kind, double bitsPerKey) throws IOException {
    Path table = table(layout);
    Manifest manifest = Table.at(table).manifest(Table.at(table).requireCurrentVersion());
    long bytes = SnapshotParts.of(table, manifest).bytes(kind);
    assertThat(bytes).isPositive();
    assertThat(bytes * 8.0 / RECORDS).isLessThan(bitsPerKey);
  }
}
