package io.bsdb.format.hash;

/** The perfect hash of no keys: a separate class, so that the others need no special case. */
record EmptyPerfectHash() implements PerfectHash {

  @Override
  public int size() {
    return 0;
  }

  @Override
  public int rank(long high, long low) {
    throw new IllegalStateException("an empty perfect hash has no ranks");
  }
}
