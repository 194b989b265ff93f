package io.bsdb.format.hash;

import java.util.Objects;

/** The perfect hash of no keys: a separate class, so that the others need no special case. */
record EmptyPerfectHash(PerfectHashKind kind) implements PerfectHash {

  @Override
  public int size() {
    return 0;
  }

  @Override
  public int rank(long high, long low) {
    throw new IllegalStateException("an empty perfect hash has no ranks");
  }

  @Override
  public void ranks(long[] high, long[] low, int count, int[] ranks) {
    Objects.checkFromIndexSize(0, count, Math.min(ranks.length, Math.min(high.length, low.length)));
    if (count > 0) {
      throw new IllegalStateException("an empty perfect hash has no ranks");
    }
  }
}
