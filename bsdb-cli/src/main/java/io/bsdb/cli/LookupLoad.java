package io.bsdb.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Looks keys up in several threads and measures it, in short rounds of which the median counts.
 *
 * @param lookups for each thread
 */
record LookupLoad(Lookups.Factory lookups, LookupKeys keys, int threads) {
  /** Keys between two looks at the clock. */
  private static final int STEP = 256;

  private static final int ROUNDS = 5;

  /**
   * What was measured.
   *
   * @param perSecond lookups of all threads together, the median of the rounds
   * @param bestPerSecond the best of the rounds
   * @param lookups how many there were in all
   * @param latencies in nanoseconds, of calls that were timed one by one
   */
  record Outcome(double perSecond, double bestPerSecond, long lookups, Histogram latencies) {}

  /** What one round did. */
  private record Round(long lookups, double perSecond) {}

  /**
   * Alternates rounds that count lookups and rounds that time each of them, after one that does not
   * count: what was done before has left its own in the processor's caches.
   */
  Outcome run(double seconds) throws IOException {
    long nanos = (long) (seconds * TimeUnit.SECONDS.toNanos(1) / (2 * ROUNDS));
    round(nanos, null);
    Histogram latencies = new ConcurrentHistogram(3);
    double[] rates = new double[ROUNDS];
    long count = 0;
    for (int i = 0; i < ROUNDS; i++) {
      Round counted = round(nanos, null);
      rates[i] = counted.perSecond();
      count += counted.lookups() + round(nanos, latencies).lookups();
    }
    Arrays.sort(rates);
    return new Outcome(rates[ROUNDS / 2], rates[ROUNDS - 1], count, latencies);
  }

  private Round round(long nanos, @Nullable Histogram latencies) throws IOException {
    AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    AtomicLong done = new AtomicLong();
    List<Thread> all = new ArrayList<>();
    long start = System.nanoTime();
    for (int thread = 0; thread < threads; thread++) {
      int position = (int) ((long) keys.size() * thread / threads);
      all.add(
          new Thread(
              () -> {
                try {
                  done.addAndGet(runUntil(start + nanos, position, latencies));
                } catch (IOException | RuntimeException e) {
                  failure.compareAndSet(null, e);
                }
              },
              "bsdb-bench"));
    }
    all.forEach(Thread::start);
    join(all);
    double elapsed = (System.nanoTime() - start) / 1e9;
    throwFailure(failure.get());
    return new Round(done.get(), done.get() / elapsed);
  }

  private long runUntil(long end, int first, @Nullable Histogram latencies) throws IOException {
    Lookups own = lookups.create(keys);
    long count = 0;
    int position = first;
    do {
      own.run(position, STEP, latencies);
      position = (position + STEP) % keys.size();
      count += STEP;
    } while (System.nanoTime() < end);
    own.finish();
    return count;
  }

  private static void join(List<Thread> threads) throws IOException {
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while measuring", e);
    }
  }

  private static void throwFailure(@Nullable Exception failure) throws IOException {
    if (failure instanceof IOException problem) {
      throw problem;
    }
    if (failure instanceof RuntimeException problem) {
      throw problem;
    }
  }
}
