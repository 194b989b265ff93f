package io.bsdb.benchmarks.micro;

import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.format.hash.PerfectHash;
import io.bsdb.format.hash.PerfectHashBuilder;
import io.bsdb.reader.io.FileMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
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
 * Time per key to rank random present keys whose 128-bit hashes are known. The section is mapped
 * from a file, in huge pages where the system has them for files, as readers have it.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 7, time = 1)
@Fork(value = 1, jvmArgsAppend = "-Xmx5g")
public class PerfectHashBenchmark {

  private static final int LOOKUPS = 1 << 20;
  private static final int HUGE_PAGE = 2 << 20;

  @Param({"SUX4J", "PILOT"})
  public PerfectHashConstruction kind;

  @Param({"10000000", "100000000"})
  public int keys;

  private Path file;
  private FileMemory memory;
  private PerfectHash hash;
  private final long[] high = new long[LOOKUPS];
  private final long[] low = new long[LOOKUPS];
  private final int[] ranks = new int[LOOKUPS];

  @Setup
  public void build() throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    long[] allHigh = random.longs(keys).toArray();
    long[] allLow = random.longs(keys).toArray();
    byte[] section =
        PerfectHashBuilder.of(kind)
            .temporaryDirectory(Path.of(System.getProperty("java.io.tmpdir")))
            .build(allHigh, allLow, keys);
    file = Files.createTempFile("bsdb-benchmark", ".perfect-hash");
    write(section, file);
    memory = FileMemory.map(file);
    memory.adviseHugePages();
    hash = PerfectHash.open(memory.slice(0, section.length));
    for (int i = 0; i < LOOKUPS; i++) {
      int key = random.nextInt(keys);
      high[i] = allHigh[key];
      low[i] = allLow[key];
    }
  }

  /**
   * Writes a file in huge pages, as partition files are written, so that the page cache keeps them.
   */
  private static void write(byte[] section, Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (int start = 0; start < section.length; start += HUGE_PAGE) {
        ByteBuffer page =
            ByteBuffer.wrap(section, start, Math.min(HUGE_PAGE, section.length - start));
        while (page.hasRemaining()) {
          channel.write(page);
        }
      }
    }
  }

  @TearDown
  public void delete() throws IOException {
    memory.close();
    Files.delete(file);
  }

  /** Looks each key up in a call of its own; calls do not wait for each other. */
  @Benchmark
  @OperationsPerInvocation(LOOKUPS)
  public int single() {
    int sum = 0;
    for (int i = 0; i < LOOKUPS; i++) {
      sum += hash.rank(high[i], low[i]);
    }
    return sum;
  }

  /**
   * Looks each key up in a call of its own, whose hash is known only when the rank before is: the
   * latency of a lookup.
   */
  @Benchmark
  @OperationsPerInvocation(LOOKUPS)
  public int chained() {
    int rank = 0;
    for (int i = 0; i < LOOKUPS; i++) {
      rank = hash.rank(high[i], low[i] ^ (rank >>> 31)); // ranks are not negative
    }
    return rank;
  }

  /** Looks all keys up in one call. */
  @Benchmark
  @OperationsPerInvocation(LOOKUPS)
  public int[] batch() {
    hash.ranks(high, low, LOOKUPS, ranks);
    return ranks;
  }
}
