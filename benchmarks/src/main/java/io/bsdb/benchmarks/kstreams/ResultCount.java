package io.bsdb.benchmarks.kstreams;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.bsdb.benchmarks.harness.Workload;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Checks and counts what comes out of a topology with one thread, and notes when. */
final class ResultCount {
  private static final byte[] ABSENT = {};

  /** To make the right value takes longer than to look it up. */
  private static final int COMPARED_EVERY = 16;

  private final Workload workload;
  private final long expected;
  private final CompletableFuture<@Nullable Void> complete = new CompletableFuture<>();
  private long results;
  private long hits;
  private long firstNanos;
  private long middleNanos;
  private long lastNanos;

  /**
   * @param workload with the records of the table
   * @param expected results, 2 or more
   */
  ResultCount(Workload workload, long expected) {
    this.workload = workload;
    this.expected = expected;
  }

  /**
   * Returns the result of the join for a value of the table: empty if there is none. Called by one
   * thread.
   *
   * @throws IllegalStateException if it is not the value of the key; one of 16 is compared in full
   */
  byte[] joined(byte[] key, byte @Nullable [] value) {
    if (value == null) {
      return ABSENT;
    }
    if (value.length != Workload.VALUE_LENGTH
        || (results % COMPARED_EVERY == 0 && !workload.isValueOf(key, value))) {
      throw new IllegalStateException("wrong answer: key=" + new String(key, US_ASCII));
    }
    return value;
  }

  /** Counts a value of the table, or an empty one. Called by one thread. */
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
      complete.complete(null);
    }
  }

  /** Ends the count: there will be no more results. */
  void fail(Throwable cause) {
    complete.completeExceptionally(cause);
  }

  /** Waits until all have come; the rest may be called then. */
  void await() throws ExecutionException, InterruptedException {
    complete.get();
  }

  long hits() {
    return hits;
  }

  long firstNanos() {
    return firstNanos;
  }

  /** Returns the rate of the second half: the first one warms up. */
  double resultsPerSecond() {
    return (expected - expected / 2) / ((lastNanos - middleNanos) / 1e9);
  }
}
