package io.bsdb.format.hash;

/** The constructions of a perfect hash, with their ids on disk. */
public enum PerfectHashKind {
  /** A system of equations over F<sub>3</sub>, built by Sux4J: the smallest, slow to look up. */
  SUX4J(1, "sux4j"),
  /** One byte per bucket of about three keys: one memory access per lookup. */
  PILOT(2, "pilot");

  private final int id;
  private final String label;

  PerfectHashKind(int id, String label) {
    this.id = id;
    this.label = label;
  }

  /** The first byte of a section of this kind. */
  public int id() {
    return id;
  }

  /** The name in options and on the command line. */
  public String label() {
    return label;
  }
}
