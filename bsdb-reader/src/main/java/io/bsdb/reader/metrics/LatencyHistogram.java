package io.bsdb.reader.metrics;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts durations by size, to within a quarter of a power of two: buckets of 1, 1.25, 1.5 and 1.75
 * times 2^n nanoseconds. Safe for many threads; recording costs one atomic increment.
 */
public final class LatencyHistogram {
  private static final int STEPS = 4;

  private final AtomicLongArray counts = new AtomicLongArray(64 * STEPS);

  /** Creates a histogram; called by readers. */
  LatencyHistogram() {}

  void record(long nanos) {
    counts.getAndIncrement(bucket(Math.max(STEPS, nanos)));
  }

  private static int bucket(long nanos) {
    int exponent = 63 - Long.numberOfLeadingZeros(nanos);
    return exponent * STEPS + (int) (nanos >>> (exponent - 2)) - STEPS;
  }

  /** Returns how many durations were recorded. */
  public long count() {
    long sum = 0;
    for (int i = 0; i < counts.length(); i++) {
      sum += counts.get(i);
    }
    return sum;
  }

  /**
   * Returns an upper bound, in nanoseconds, of the given share of durations; 0 if there are none.
   *
   * @param quantile of (0, 1], for example 0.99
   */
  public long quantile(double quantile) {
    long rest = (long) Math.ceil(count() * quantile);
    for (int i = 0; i < counts.length(); i++) {
      rest -= counts.get(i);
      if (rest <= 0 && counts.get(i) > 0) {
        return (long) (STEPS + i % STEPS + 1) << Math.max(0, i / STEPS - 2);
      }
    }
    return 0;
  }
}
