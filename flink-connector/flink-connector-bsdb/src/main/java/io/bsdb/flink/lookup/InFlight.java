package io.bsdb.flink.lookup;

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
  synchronized void awaitEnd() {
    boolean interrupted = false;
    while (count > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
