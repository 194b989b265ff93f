package io.bsdb.benchmarks.micro;

import io.bsdb.benchmarks.harness.Measure;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.harness.Workload.Queries;
import io.bsdb.format.ValueReader;
import io.bsdb.reader.SnapshotReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One mapped table that {@code benchmarks/run} has built, for a profiler. With few keys, all that a
 * lookup reads is in the first-level cache: what is left is instructions.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 7, time = 2)
@Fork(
    value = 1,
    jvmArgsAppend = {"-Xms2g", "-Xmx2g", "-XX:+AlwaysPreTouch"})
public class ReaderBenchmark {
  /** The directory that {@code benchmarks/run} was given. */
  @Param("bench-data")
  public String directory;

  @Param("bsdb-blocked")
  public String store;

  @Param({"1000000", "10000000"})
  public long records;

  /** Number of different keys that are looked up: a power of two. */
  @Param({"64", "1048576"})
  public int keys;

  private Queries queries;
  private List<List<byte[]>> batches;
  private SnapshotReader reader;
  private int next;
  private long sum;
  private final ValueReader<Object> column =
      (index, bytes, offset, length) -> {
        sum += bytes.longAt(offset);
        return this;
      };

  @Setup
  public void open() throws IOException {
    queries = new Workload(records).queries(Keys.UNIFORM);
    batches = queries.batches(Measure.BATCH);
    reader = SnapshotReader.open(Path.of(directory, store + "-" + records));
    for (int i = 0; i < keys; i++) {
      queries.checkFully(i, reader.get(queries.key(i)));
    }
  }

  @TearDown
  public void close() throws IOException {
    reader.close();
  }

  @Benchmark
  public byte @Nullable [] get() throws IOException {
    return reader.get(queries.key(next++ & (keys - 1)));
  }

  @Benchmark
  @OperationsPerInvocation(Measure.BATCH)
  public List<byte @Nullable []> getAll() throws IOException {
    return reader.getAll(batches.get(next++ & (keys / Measure.BATCH - 1)));
  }

  /** Reads eight bytes of a value where it lies. */
  @Benchmark
  public long lend() throws IOException {
    reader.get(queries.key(next++ & (keys - 1)), column);
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(Measure.BATCH)
  public List<@Nullable Object> lendAll() throws IOException {
    return reader.getAll(batches.get(next++ & (keys / Measure.BATCH - 1)), column);
  }
}
