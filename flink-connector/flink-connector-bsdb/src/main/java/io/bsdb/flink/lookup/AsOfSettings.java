package io.bsdb.flink.lookup;

import java.io.Serializable;
import java.time.Duration;

/**
 * Settings of lookups by time in a table with a history.
 *
 * @param maxWait how long a lookup waits at most for a version that is complete up to its time;
 *     zero: it does not wait
 * @param isStrict whether a lookup of a time before the horizon fails; else it is answered by what
 *     is left
 */
public record AsOfSettings(Duration maxWait, boolean isStrict) implements Serializable {
  /** Lookups are answered at once, by what is there. */
  public static final AsOfSettings NONE = new AsOfSettings(Duration.ZERO, false);

  /** Returns whether lookups wait. */
  public boolean waits() {
    return !maxWait.isZero();
  }
}
