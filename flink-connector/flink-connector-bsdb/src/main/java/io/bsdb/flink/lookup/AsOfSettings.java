package io.bsdb.flink.lookup;

import java.io.Serializable;
import java.time.Duration;

/**
 * Settings of lookups by time in a table with a history.
 *
 * @param maxWait how long a lookup waits at most for a version that is complete up to its time;
 *     zero: it does not wait
 * @param beforeHorizon what happens to a lookup of a time before the horizon
 */
public record AsOfSettings(Duration maxWait, BeforeHorizon beforeHorizon) implements Serializable {
  /** Lookups are answered at once, by what is there. */
  public static final AsOfSettings NONE = new AsOfSettings(Duration.ZERO, BeforeHorizon.ANSWER);

  /** What happens to a lookup of a time before which replaced rows may have been dropped. */
  public enum BeforeHorizon {
    /** It is answered by what is left. */
    ANSWER,
    /** It fails, and the job with it. */
    FAIL
  }

  /** Returns whether lookups wait. */
  public boolean waits() {
    return !maxWait.isZero();
  }
}
