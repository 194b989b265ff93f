package io.bsdb.benchmarks.micro;

import io.bsdb.benchmarks.Directories;
import io.bsdb.benchmarks.Workload;
import io.bsdb.reader.ReaderOptions;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.writer.Layout;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A whole lookup in a table that the processor's caches hold: what it takes to find, and to
 * decompress where there are frames, without waiting for memory.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 7, time = 1)
@Fork(value = 1, jvmArgsAppend = "-Xmx1g")
public class BlockDecodeBenchmark {
  private static final int RECORDS = 10_000;
  private static final int KEYS = 1 << 10;

  @Param({"BLOCKED", "COMPACT", "COMPRESSED", "COMPRESSED_PAGES"})
  public Layout layout;

  /** Of frames, before compression; of no effect on layouts without. */
  @Param({"512", "4096"})
  public int frameSize;

  private Path directory;
  private SnapshotReader reader;
  private final byte[][] keys = new byte[KEYS][];
  private final ByteBuffer target = ByteBuffer.allocateDirect(Workload.VALUE_LENGTH);
  private int next;

  @Setup
  public void build() throws IOException {
    Workload workload = new Workload(RECORDS);
    directory = Files.createTempDirectory("bsdb-benchmark");
    WriterOptions options = WriterOptions.builder().layout(layout).frameSize(frameSize).build();
    try (SnapshotWriter writer = SnapshotWriter.create(directory, options)) {
      for (int id = 0; id < RECORDS; id++) {
        writer.add(workload.key(id), workload.value(id));
      }
      writer.publish();
    }
    reader = SnapshotReader.open(directory, ReaderOptions.defaults());
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < KEYS; i++) {
      keys[i] = workload.key(random.nextInt(RECORDS));
    }
  }

  @TearDown
  public void delete() throws IOException {
    reader.close();
    Directories.delete(directory);
  }

  @Benchmark
  public int get() throws IOException {
    return reader.get(keys[next++ & (KEYS - 1)], target.clear());
  }
}
