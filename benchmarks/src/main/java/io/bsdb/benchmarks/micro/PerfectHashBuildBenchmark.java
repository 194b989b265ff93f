package io.bsdb.benchmarks.micro;

import io.bsdb.format.hash.PerfectHashBuilder;
import io.bsdb.format.hash.PerfectHashKind;
import io.bsdb.format.hash.PilotDensity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
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
 * Time to build a perfect hash, and its size. Sux4J uses as many threads as its system property
 * says (up to four by default), whatever {@code threads} is; pass {@code -jvmArgsAppend
 * -Dit.unimi.dsi.sux4j.mph.threads=1} to compare on one.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 3)
@Fork(value = 1, jvmArgsAppend = "-Xmx5g")
public class PerfectHashBuildBenchmark {

  /** What is built and how. */
  public enum Construction {
    SUX4J(PerfectHashKind.SUX4J, PilotDensity.STANDARD),
    PILOT(PerfectHashKind.PILOT, PilotDensity.STANDARD),
    PILOT_DENSE(PerfectHashKind.PILOT, PilotDensity.DENSE);

    private final PerfectHashKind kind;
    private final PilotDensity density;

    Construction(PerfectHashKind kind, PilotDensity density) {
      this.kind = kind;
      this.density = density;
    }
  }

  /** The size of what was built. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.EVENTS)
  public static class Size {
    public double bitsPerKey;
  }

  @Param({"SUX4J", "PILOT", "PILOT_DENSE"})
  public Construction construction;

  @Param({"10000000"})
  public int keys;

  @Param({"1", "2"})
  public int threads;

  private KeyHashes hashes;
  private ExecutorService executor;

  @Setup
  public void generate() {
    hashes = KeyHashes.random(keys);
    executor = Executors.newFixedThreadPool(threads);
  }

  @TearDown(Level.Trial)
  public void stop() {
    executor.shutdown();
  }

  @Benchmark
  public byte[] build(Size size) throws IOException {
    byte[] section =
        PerfectHashBuilder.of(construction.kind)
            .density(construction.density)
            .executor(executor, threads)
            .temporaryDirectory(Path.of(System.getProperty("java.io.tmpdir")))
            .build(hashes.high(), hashes.low(), keys);
    size.bitsPerKey = 8.0 * section.length / keys;
    return section;
  }
}
