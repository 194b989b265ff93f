package io.bsdb.testkit;

import java.util.concurrent.locks.LockSupport;

/** Waits for what other threads and processes do. */
public final class Await {
  private static final long INTERVAL_NANOS = 1_000_000;

  private Await() {}

  /** A condition that becomes true. */
  public interface Condition<E extends Exception> {
    boolean holds() throws E;
  }

  /**
   * Returns once a condition holds. Between two looks it leaves the processor to those who make it
   * hold, and gives up if it is interrupted, as a timeout does.
   */
  public static <E extends Exception> void until(Condition<E> condition) throws E {
    while (!condition.holds()) {
      LockSupport.parkNanos(INTERVAL_NANOS);
      if (Thread.interrupted()) {
        throw new AssertionError("interrupted before the condition held");
      }
    }
  }
}
