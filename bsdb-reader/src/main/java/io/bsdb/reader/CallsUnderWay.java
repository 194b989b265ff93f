package io.bsdb.reader;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/**
 * Counts the calls under way in a reader, so that close can wait for them before memory is
 * unmapped.
 *
 * <p>A counter that all threads share would be the slowest part of a lookup, so there are many,
 * each on cache lines of its own, and a thread uses the one that its id selects. Entering
 * increments, then looks for the closed mark; closing sets the mark, then waits until every counter
 * has been zero: both sides are sequentially consistent, so either the call sees the mark or the
 * close sees the call.
 */
final class CallsUnderWay {
  private static final int STRIPES = 64;
  private static final int STRIDE = 16;

  private final AtomicLongArray counters = new AtomicLongArray((STRIPES + 1) * STRIDE);
  private final String what;
  private volatile boolean closed;

  /**
   * @param what is named when a call comes after close
   */
  CallsUnderWay(String what) {
    this.what = what;
  }

  /**
   * Begins a call.
   *
   * @return what to pass to {@link #exit}
   * @throws ClosedReaderException after {@link #close}
   */
  int enter() {
    int stripe =
        (int) ((Thread.currentThread().getId() * 0x9E3779B97F4A7C15L) >>> 58) * STRIDE + STRIDE;
    counters.getAndIncrement(stripe);
    if (closed) {
      counters.getAndDecrement(stripe);
      throw new ClosedReaderException(what);
    }
    return stripe;
  }

  void exit(int stripe) {
    counters.getAndDecrement(stripe);
  }

  boolean isClosed() {
    return closed;
  }

  /**
   * Refuses further calls and waits for those under way.
   *
   * @return whether this was the first close
   */
  boolean close() {
    synchronized (this) {
      if (closed) {
        return false;
      }
      closed = true;
    }
    for (int stripe = STRIDE; stripe < counters.length(); stripe += STRIDE) {
      while (counters.get(stripe) != 0) {
        LockSupport.parkNanos(50_000);
      }
    }
    return true;
  }
}
