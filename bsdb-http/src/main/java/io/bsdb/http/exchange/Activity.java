package io.bsdb.http.exchange;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The server's requests of the last minute, second by second, for people who watch it. Safe for use
 * by many threads; figures of a second that begins while others count may be off by a few.
 */
public final class Activity {
  static final int SECONDS = 60;
  private static final int SLOTS = 64;
  private static final int KEYS = 0;
  private static final int FOUND = 1;
  private static final int ERRORS = 2;

  /**
   * Latency classes: powers of the fourth root of two, from one microsecond on. Each request is in
   * one of them.
   */
  private static final int TIMES = 3;

  private static final int CLASSES = 100;
  private static final int WIDTH = TIMES + CLASSES;

  /** Classes per unit of the natural logarithm: four per power of two. */
  private static final double PER_LOG = 4 / Math.log(2);

  private final AtomicLongArray seconds = new AtomicLongArray(SLOTS);
  private final AtomicLongArray counts = new AtomicLongArray(SLOTS * WIDTH);

  public Activity() {
    for (int i = 0; i < SLOTS; i++) {
      seconds.set(i, Long.MIN_VALUE);
    }
  }

  /** Counts a request that took so long. */
  public void add(Access access, long nanos) {
    int slot = slot(second(access.startNanos + nanos));
    counts.addAndGet(slot + KEYS, access.keys);
    counts.addAndGet(slot + FOUND, access.found);
    if (access.status >= 500) {
      counts.incrementAndGet(slot + ERRORS);
    }
    counts.incrementAndGet(slot + TIMES + latencyClass(nanos));
  }

  private static long second(long nanos) {
    return Math.floorDiv(nanos, 1_000_000_000L);
  }

  /** Returns where the counts of a second are, cleared if they were of an older one. */
  private int slot(long second) {
    int number = (int) Math.floorMod(second, (long) SLOTS);
    long before = seconds.get(number);
    if (before != second && seconds.compareAndSet(number, before, second)) {
      for (int i = 0; i < WIDTH; i++) {
        counts.set(number * WIDTH + i, 0);
      }
    }
    return number * WIDTH;
  }

  private static int latencyClass(long nanos) {
    double micros = nanos / 1e3;
    return micros <= 1 ? 0 : (int) Math.min(CLASSES - 1, Math.log(micros) * PER_LOG);
  }

  /** The last minute. */
  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  public record Minute(
      long[] requests, long[] keys, long[] found, long errors, double p50, double p99) {}

  /** Returns the figures of the seconds that have ended, oldest first. */
  public Minute lastMinute() {
    long now = second(System.nanoTime());
    long[] requests = new long[SECONDS];
    long[] keys = new long[SECONDS];
    long[] found = new long[SECONDS];
    long[] classes = new long[CLASSES];
    long errors = 0;
    for (int i = 0; i < SECONDS; i++) {
      long wanted = now - SECONDS + i;
      int number = (int) Math.floorMod(wanted, (long) SLOTS);
      if (seconds.get(number) == wanted) {
        int slot = number * WIDTH;
        keys[i] = counts.get(slot + KEYS);
        found[i] = counts.get(slot + FOUND);
        errors += counts.get(slot + ERRORS);
        for (int c = 0; c < CLASSES; c++) {
          long count = counts.get(slot + TIMES + c);
          classes[c] += count;
          requests[i] += count;
        }
      }
    }
    return new Minute(
        requests, keys, found, errors, quantile(classes, 0.5), quantile(classes, 0.99));
  }

  /** Returns an upper bound in microseconds; 0 if there were no requests. */
  private static double quantile(long[] classes, double share) {
    long total = 0;
    for (long count : classes) {
      total += count;
    }
    long rest = (long) Math.ceil(total * share);
    for (int i = 0; i < CLASSES && total > 0; i++) {
      rest -= classes[i];
      if (rest <= 0) {
        return Math.pow(2, (i + 1) / 4.0);
      }
    }
    return 0;
  }
}
