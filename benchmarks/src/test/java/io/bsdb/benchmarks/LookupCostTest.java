package io.bsdb.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.bsdb.benchmarks.harness.Measure;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.harness.Workload.Queries;
import io.bsdb.format.FileFooter;
import io.bsdb.format.FileHeader;
import io.bsdb.format.PartChecksum;
import io.bsdb.format.Section;
import io.bsdb.format.SectionKind;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.metrics.ReaderMetrics;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
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
      try (SnapshotWriter writer = SnapshotWriter.create(table(layout), options)) {
        for (int id = 0; id < RECORDS; id++) {
          writer.add(workload.key(id), workload.value(id));
        }
        writer.publish();
      }
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

  private interface Body {
    void run() throws IOException;
  }

  /**
   * Bytes that this thread allocates in a run, the least of many: until the optimizing compiler is
   * done, and when it begins again, runs allocate more.
   */
  private static long allocated(long enough, Body body) throws IOException {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int run = 0; run < 2_000 && least > enough; run++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      body.run();
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void lendingAllocatesNothing(Layout layout) throws IOException {
    assertAllocates(
        layout,
        0,
        (reader, key) -> reader.get(key, (index, bytes, offset, length) -> Boolean.TRUE));
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void getIntoBufferAllocatesNoMoreThanItsReader(Layout layout) throws IOException {
    ByteBuffer target = ByteBuffer.allocateDirect(Workload.VALUE_LENGTH);
    assertAllocates(layout, BUFFER_READER, (reader, key) -> reader.get(key, target.clear()));
  }

  private interface Lookup {
    void of(SnapshotReader reader, byte[] key) throws IOException;
  }

  private void assertAllocates(Layout layout, int perCall, Lookup lookup) throws IOException {
    try (SnapshotReader reader = open(layout, Access.MAPPED)) {
      long most = (perCall + views(layout) + 1L) * CALLS;
      long bytes =
          allocated(
              most,
              () -> {
                for (int i = 0; i < CALLS; i++) {
                  lookup.of(reader, queries.key(i));
                }
              });
      // A byte per call more is no further object per call: those of the measurement itself.
      assertThat(bytes).isLessThanOrEqualTo(most);
    }
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void getAllocatesNoMoreThanTheValue(Layout layout) throws IOException {
    long values = 0;
    for (int i = 0; i < CALLS; i++) {
      values += queries.isPresent(i) ? VALUE_ARRAY : 0;
    }
    long most = values + (views(layout) + 1L) * CALLS;
    try (SnapshotReader reader = open(layout, Access.MAPPED)) {
      long bytes =
          allocated(
              most,
              () -> {
                for (int i = 0; i < CALLS; i++) {
                  queries.check(i, reader.get(queries.key(i)));
                }
              });
      assertThat(bytes).isLessThanOrEqualTo(most);
    }
  }

  /**
   * What a batch needs beside values: per key its hash, partition, rank, block, place in memory and
   * in the list (52 bytes), and as much again for what the compiler leaves of hashes and lists.
   */
  @ParameterizedTest
  @EnumSource(
      value = Layout.class,
      names = {"BLOCKED", "SYMBOLS"})
  void getAllAllocatesLittleBesideTheValues(Layout layout) throws IOException {
    List<List<byte[]>> batches = queries.batches(Measure.BATCH);
    long values = 0;
    for (int i = 0; i < CALLS; i++) {
      values += queries.isPresent(i) ? VALUE_ARRAY : 0;
    }
    long most = values + 96L * CALLS;
    try (SnapshotReader reader = open(layout, Access.MAPPED)) {
      long bytes =
          allocated(
              most,
              () -> {
                for (int i = 0; i < CALLS; i += Measure.BATCH) {
                  List<byte[]> found = reader.getAll(batches.get(i / Measure.BATCH));
                  for (int j = 0; j < Measure.BATCH; j++) {
                    queries.check(i + j, found.get(j));
                  }
                }
              });
      assertThat(bytes).isLessThanOrEqualTo(most);
    }
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
    long bytes = 0;
    for (Path file : files(layout)) {
      bytes += Files.size(file);
    }
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
    long bytes = 0;
    for (Path file : files(layout)) {
      if (file.toString().endsWith(".bsdb")) {
        for (Section section : footer(file).sections()) {
          bytes += section.kind() == kind.id() ? section.length() : 0;
        }
      }
    }
    assertThat(bytes).isPositive();
    assertThat(bytes * 8.0 / RECORDS).isLessThan(bitsPerKey);
  }

  private List<Path> files(Layout layout) throws IOException {
    try (Stream<Path> files = Files.walk(table(layout).resolve("snapshots"))) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  private static PartChecksum checksum(FileChannel channel) throws IOException {
    ByteBuffer header =
        ByteBuffer.allocate(SnapshotFormat.HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    while (header.hasRemaining() && channel.read(header, header.position()) >= 0) {
      Thread.onSpinWait();
    }
    return new PartChecksum(FileHeader.decode(header, "header").fileId());
  }

  private static FileFooter footer(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      int length = (int) Math.min(channel.size(), FileFooter.MAX_LENGTH);
      ByteBuffer end = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
      while (end.hasRemaining() && channel.read(end, channel.size() - end.remaining()) >= 0) {
        Thread.onSpinWait();
      }
      return FileFooter.decode(end.clear(), channel.size(), checksum(channel), file.toString());
    }
  }
}
