package io.bsdb.benchmarks.harness;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.flink.util.concurrent.ExecutorThreadFactory;

/** Threads that work beside each other, and stay for more work: some stores open something each. */
public final class Workers {
  static final ExecutorService POOL =
      Executors.newCachedThreadPool(new ExecutorThreadFactory("bench-worker"));

  private Workers() {}

  /** What one thread does. */
  public interface Work {
    /**
     * Returns a count.
     *
     * @param thread its number, from 0
     */
    long run(int thread) throws Exception;
  }

  /** Makes so many threads work once, and returns the sum of what they counted. */
  public static long run(int threads, Work work) throws Exception {
    long sum = 0;
    for (Future<Long> each :
        POOL.invokeAll(
            IntStream.range(0, threads)
                .<Callable<Long>>mapToObj(thread -> () -> work.run(thread))
                .toList())) {
      sum += each.get();
    }
    return sum;
  }
}
