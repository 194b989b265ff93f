package io.bsdb.benchmarks.micro;

import io.bsdb.format.block.BlockIndex;
import java.io.IOException;
import java.nio.ByteBuffer;
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
import org.openjdk.jmh.annotations.Warmup;

/** Time from a rank to the offset of its block, for random ranks of a partition. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 7, time = 1)
@Fork(value = 1, jvmArgsAppend = "-Xmx1g")
public class BlockIndexBenchmark {
  private static final int RANKS = 1 << 16;
  private static final int BLOCKS = 1 << 20;

  /** Whether blocks hold equally many records; else the index has to search. */
  @Param({"true", "false"})
  public boolean uniformRecords;

  /** Whether blocks have one length. */
  @Param({"true", "false"})
  public boolean uniformLength;

  private BlockIndex index;
  private final int[] ranks = new int[RANKS];
  private int next;

  @Setup
  public void build() throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    BlockIndex.Builder builder = new BlockIndex.Builder(1);
    int records = 0;
    long length = 0;
    for (int block = 0; block < BLOCKS; block++) {
      builder.add(records, length);
      records += uniformRecords ? 35 : 30 + random.nextInt(10);
      length += uniformLength ? 4096 : 3800 + random.nextInt(400);
    }
    ByteBuffer section = builder.encode(records, length);
    ByteBuffer direct = ByteBuffer.allocateDirect(section.limit()).put(section).flip();
    index = BlockIndex.open(direct, records, length, 1, "benchmark");
    for (int i = 0; i < RANKS; i++) {
      ranks[i] = random.nextInt(records);
    }
  }

  @Benchmark
  public long offset() {
    return index.offset(index.block(ranks[next++ & (RANKS - 1)]));
  }
}
