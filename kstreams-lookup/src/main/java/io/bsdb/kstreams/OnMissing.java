package io.bsdb.kstreams;

import java.time.Duration;

/**
 * What building a {@link SnapshotLookup} does when nothing has been published at the table's path,
 * or not the pinned version. A version that is there but damaged makes the build fail, whatever is
 * chosen here.
 */
public final class OnMissing {
  /** Building the lookup fails. The default. */
  public static final OnMissing FAIL = new OnMissing(Kind.FAIL, Duration.ZERO);

  /**
   * The lookup starts without a table: no key has a value, until a refresh finds the first version.
   * Records processed before then are joined with nothing, and stay so.
   */
  public static final OnMissing EMPTY = new OnMissing(Kind.EMPTY, Duration.ZERO);

  enum Kind {
    FAIL,
    WAIT,
    EMPTY
  }

  private final Kind kind;
  private final Duration patience;

  private OnMissing(Kind kind, Duration patience) {
    this.kind = kind;
    this.patience = patience;
  }

  /**
   * Building the lookup waits for the first version, on the thread that builds, and fails if none
   * came in time.
   *
   * @param patience longest time to wait, more than zero
   */
  public static OnMissing waitFor(Duration patience) {
    if (patience.isZero() || patience.isNegative()) {
      throw new IllegalArgumentException(
          "time to wait for the table: expected>0 actual=" + patience);
    }
    return new OnMissing(Kind.WAIT, patience);
  }

  Kind kind() {
    return kind;
  }

  Duration patience() {
    return patience;
  }

  @Override
  public String toString() {
    return kind == Kind.WAIT ? "WAIT(" + patience + ")" : kind.name();
  }
}
