package io.bsdb.benchmarks.micro;

import io.bsdb.format.PerfectHashConstruction;
import io.bsdb.format.hash.PerfectHashBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
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
 * Time to build a perfect hash, and its size, which is printed at the end of a trial. Sux4J uses as
 * many threads as its system property says (up to four by default), whatever {@code threads} is;
 * pass {@code -jvmArgsAppend -Dit.unimi.dsi.sux4j.mph.threads=1} to compare on one.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 3)
@Fork(value = 1, jvmArgsAppend = "-Xmx5g")
public class PerfectHashBuildBenchmark {

  @Param({"SUX4J", "PILOT", "PILOT_DENSE"})
  public PerfectHashConstruction construction;

  @Param({"10000000"})
  public int keys;

  @Param({"1", "2"})
  public int threads;

  private long[] high;
  private long[] low;
  private ExecutorService executor;
  private int sectionLength;

  @Setup
  public void generate() {
    SplittableRandom random = new SplittableRandom(1);
    high = random.longs(keys).toArray();
    low = random.longs(keys).toArray();
    executor =
        Executors.newFixedThreadPool(threads, task -> new Thread(task, "perfect-hash-build"));
  }

  @TearDown(Level.Trial)
  public void stop() {
    executor.shutdown();
    // Not an auxiliary counter: those are summed over iterations.
    System.out.printf(Locale.ROOT, "%.4f bits/key%n", 8.0 * sectionLength / keys);
  }

  @Benchmark
  public byte[] build() throws IOException {
    byte[] section =
        PerfectHashBuilder.of(construction)
            .executor(executor, threads)
            .temporaryDirectory(Path.of(System.getProperty("java.io.tmpdir")))
            .build(high, low, keys);
    sectionLength = section.length;
    return section;
  }
}
