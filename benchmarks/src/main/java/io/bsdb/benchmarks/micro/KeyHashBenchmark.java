package io.bsdb.benchmarks.micro;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.hash.KeyHash;
import java.util.Random;
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

/** Time to hash one key, by its length. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 7, time = 1)
@Fork(value = 1, jvmArgsAppend = "-Xmx1g")
public class KeyHashBenchmark {
  private static final int KEYS = 1 << 10;

  @Param({"8", "16", "36", "200"})
  public int length;

  private final byte[][] keys = new byte[KEYS][];
  private int next;

  @Setup
  public void fill() {
    Random random = new Random(1);
    for (int i = 0; i < KEYS; i++) {
      keys[i] = new byte[length];
      random.nextBytes(keys[i]);
    }
  }

  @Benchmark
  public long hash() {
    HashValue128 hash = KeyHash.hash(keys[next++ & (KEYS - 1)]);
    return hash.getMostSignificantBits() ^ hash.getLeastSignificantBits();
  }
}
