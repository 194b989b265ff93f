package io.bsdb.benchmarks.kstreams;

import io.bsdb.benchmarks.Workload;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Counts what comes out of a topology with one thread, and when. */
final class ResultCount {
  private final long expected;
  private final CompletableFuture<@Nullable Void> complete = new CompletableFuture<>();
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
      complete.complete(null);
    }
  }

  /** There will be no more. */
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

  /** Of the second half: the first one warms up. */
  double resultsPerSecond() {
    return (expected - expected / 2) / ((lastNanos - middleNanos) / 1e9);
  }
}
