package io.bsdb.flink.lookup;

import io.bsdb.format.io.Uninterrupted;

/** Counts what is in flight, without a limit, so that its end can be waited for. Thread-safe. */
final class InFlight {
  private long count;

  synchronized void begin() {
    count++;
  }

  synchronized void end() {
    count--;
    if (count == 0) {
      notifyAll();
    }
  }

  /** Returns once nothing is in flight. An interrupt is kept for the caller. */
  void awaitEnd() {
    Uninterrupted.await(this::hasEnded);
  }

  private synchronized boolean hasEnded() throws InterruptedException {
    while (count > 0) {
      wait();
    }
    return true;
  }
}
