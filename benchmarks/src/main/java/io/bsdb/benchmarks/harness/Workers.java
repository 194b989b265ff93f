package io.bsdb.benchmarks.harness;

import io.bsdb.format.io.IOSupplier;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.flink.util.concurrent.ExecutorThreadFactory;
import org.apache.flink.util.function.FunctionWithException;
import org.apache.flink.util.function.ThrowingRunnable;

/** Threads that work beside each other, and stay for more work: some stores open something each. */
public final class Workers {
  private static final ExecutorService POOL =
      Executors.newCachedThreadPool(new ExecutorThreadFactory("bench-worker"));

  private Workers() {}

  /**
   * Makes so many threads work once, and returns the sum of what they counted.
   *
   * @param work of one thread, which gets its number, from 0
   */
  public static long run(int threads, FunctionWithException<Integer, Long, Exception> work)
      throws Exception {
    long sum = 0;
    for (Future<Long> each :
        POOL.invokeAll(
            IntStream.range(0, threads)
                .<Callable<Long>>mapToObj(thread -> () -> work.apply(thread))
                .toList())) {
      sum += each.get();
    }
    return sum;
  }

  /**
   * Runs work in this thread, and returns the greatest of the numbers that a source had meanwhile.
   */
  public static long greatest(IOSupplier<Long> source, ThrowingRunnable<Exception> work)
      throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    Callable<Long> sample =
        () -> {
          long most = source.get();
          while (!ended.await(20, TimeUnit.MILLISECONDS)) {
            most = Math.max(most, source.get());
          }
          return Math.max(most, source.get());
        };
    Future<Long> greatest = POOL.submit(sample);
    try {
      work.run();
    } finally {
      ended.countDown();
    }
    return greatest.get();
  }
}
