package io.bsdb.benchmarks.kstreams;

import io.bsdb.benchmarks.Workload;
import java.util.concurrent.CountDownLatch;

/** Counts what comes out of a topology with one thread, and when. */
final class ResultCount {
  private final long expected;
  private final CountDownLatch complete = new CountDownLatch(1);
  private long results;
  private long hits;
  private long firstNanos;
  private long middleNanos;
  private long lastNanos;

  /**
   * @param expected results, 2 or more
   */
  ResultCount(long expected) {
    this.expected = expected;
  }

  /** A value of the table, or an empty one. To be called by one thread. */
  void add(byte[] value) {
    results++;
    if (value.length == Workload.VALUE_LENGTH) {
      hits++;
    }
    if (results == 1) {
      firstNanos = System.nanoTime();
    } else if (results == expected / 2) {
      middleNanos = System.nanoTime();
    } else if (results == expected) {
      lastNanos = System.nanoTime();
      complete.countDown();
    }
  }

  /** Waits until all have come; the rest may be called then. */
  void await() throws InterruptedException {
    complete.await();
  }

  long hits() {
    return hits;
  }

  long firstNanos() {
    return firstNanos;
  }

  /** Of the second half: the first one warms up. */
  double resultsPerSecond() {
    return (expected - expected / 2) / ((lastNanos - middleNanos) / 1e9);
  }
}
