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
 * Each thread begins at another place of the keys, and every round goes on where the one before
 * ended: what was just asked for is in caches.
 */
final class LookupLoad {
  /** Keys between two looks at the clock. */
  private static final int STEP = 256;

  private static final int ROUNDS = 5;

  private final Lookups.Factory lookups;
  private final LookupKeys keys;
  private final int threads;
  private int checked;

  /**
   * @param lookups for each thread
   */
  LookupLoad(Lookups.Factory lookups, LookupKeys keys, int threads) {
    this.lookups = lookups;
    this.keys = keys;
    this.threads = threads;
  }

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
   * Asks for each key once, in this thread, and checks all that is known of its answer. To be
   * called at most once, and before {@link #run}, which then begins with other keys.
   *
   * @param seconds after which it ends, whether all have been asked for or not
   * @return nanoseconds per key
   */
  double check(double seconds) throws IOException {
    Lookups own = lookups.create(keys);
    long start = System.nanoTime();
    do {
      int count = Math.min(STEP, keys.size() - checked);
      own.run(checked, count, null);
      checked += count;
    } while (checked < keys.size() && System.nanoTime() - start < seconds * 1e9);
    own.finish();
    return (double) (System.nanoTime() - start) / checked;
  }

  /** What one of the threads asks for; used by one thread at a time. */
  private static final class Asker {
    private final Lookups lookups;
    private final int keys;
    private int position;

    Asker(Lookups lookups, int keys, int first) {
      this.lookups = lookups;
      this.keys = keys;
      this.position = first;
    }

    long runUntil(long end, @Nullable Histogram latencies) throws IOException {
      long count = 0;
      do {
        lookups.run(position, STEP, latencies);
        position = (position + STEP) % keys;
        count += STEP;
      } while (System.nanoTime() < end);
      lookups.finish();
      return count;
    }
  }

  /**
   * Alternates rounds that count lookups and rounds that time each of them, after one of each that
   * does not count: what was done before has left its own in the processor's caches, and code that
   * has not run yet is not compiled. Of each answer a sample is checked.
   */
  Outcome run(double seconds) throws IOException {
    long nanos = (long) (seconds * TimeUnit.SECONDS.toNanos(1) / (2 * ROUNDS));
    List<Asker> askers = askers();
    round(askers, nanos, null);
    round(askers, nanos, new ConcurrentHistogram(3));
    Histogram latencies = new ConcurrentHistogram(3);
    double[] rates = new double[ROUNDS];
    long count = 0;
    for (int i = 0; i < ROUNDS; i++) {
      Round counted = round(askers, nanos, null);
      rates[i] = counted.perSecond();
      count += counted.lookups() + round(askers, nanos, latencies).lookups();
    }
    Arrays.sort(rates);
    return new Outcome(rates[ROUNDS / 2], rates[ROUNDS - 1], count, latencies);
  }

  private List<Asker> askers() {
    LookupKeys sampled = keys.sampled();
    List<Asker> askers = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      long first = checked + (long) keys.size() * thread / threads;
      askers.add(new Asker(lookups.create(sampled), keys.size(), (int) (first % keys.size())));
    }
    return askers;
  }

  private static Round round(List<Asker> askers, long nanos, @Nullable Histogram latencies)
      throws IOException {
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    AtomicLong done = new AtomicLong();
    List<Thread> all = new ArrayList<>();
    long start = System.nanoTime();
    for (Asker asker : askers) {
      all.add(
          new Thread(
              () -> {
                try {
                  done.addAndGet(asker.runUntil(start + nanos, latencies));
                } catch (Throwable e) { // for the thread that waits
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

  private static void throwFailure(@Nullable Throwable failure) throws IOException {
    if (failure instanceof IOException problem) {
      throw problem;
    }
    if (failure instanceof RuntimeException problem) {
      throw problem;
    }
    if (failure instanceof Error problem) {
      throw problem;
    }
  }
}
