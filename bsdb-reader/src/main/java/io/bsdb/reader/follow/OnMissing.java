package io.bsdb.reader.follow;

import java.time.Duration;

/**
 * Behavior of opening a {@link TableReader} when nothing has been published, or not the pinned
 * version. A version that is there but damaged makes opening fail, whatever is chosen here.
 */
public final class OnMissing {
  /** Opening fails. The default. */
  public static final OnMissing FAIL = new OnMissing("FAIL", Duration.ZERO);

  /**
   * Begins as a table without rows: every key is absent until a refresh finds the first version.
   */
  public static final OnMissing EMPTY = new OnMissing("EMPTY", Duration.ZERO);

  private final String name;
  private final Duration timeout;

  private OnMissing(String name, Duration timeout) {
    this.name = name;
    this.timeout = timeout;
  }

  /**
   * Returns the behavior to wait for the first version, on the thread that opens, and to fail if
   * none came in time.
   *
   * @param timeout maximum time to wait, more than zero
   */
  public static OnMissing waitFor(Duration timeout) {
    if (timeout.isZero() || timeout.isNegative()) {
      throw new IllegalArgumentException(
          "time to wait for the first version: expected>0 actual=" + timeout);
    }
    return new OnMissing("WAIT(" + timeout + ")", timeout);
  }

  /** Returns how long to wait; zero for not at all. */
  Duration timeout() {
    return timeout;
  }

  @Override
  public String toString() {
    return name;
  }
}
