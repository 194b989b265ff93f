package io.bsdb.format.hash;

/** The kinds of sections on disk that hold a perfect hash. */
public enum PerfectHashKind {
  /** A system of equations over F<sub>3</sub>, built by Sux4J: the smallest, slow to look up. */
  SUX4J(1),
  /** One byte per bucket of about three keys: one memory access per lookup. */
  PILOT(2);

  private final int id;

  PerfectHashKind(int id) {
    this.id = id;
  }

  /** Returns the first byte of a section of this kind. */
  public int id() {
    return id;
  }
}
