package io.bsdb.format;

/** The ways to construct a perfect hash: which kind, and how densely. */
public enum PerfectHashConstruction {
  /** About 2.6 bits per key; the fastest to build and to look up. */
  PILOT("pilot"),
  /** About 2.35 bits per key, for about half as much build time again. Lookups cost the same. */
  PILOT_DENSE("pilot-dense"),
  /**
   * About 2.24 bits per key; many times slower to build and to look up. Needs Sux4J to build.
   *
   * <p>Sux4J registers the 256 temporary files of each perfect hash for deletion at the end of the
   * JVM, which never forgets them: tens of KiB of heap per partition built. So it is not for
   * processes that build without end.
   */
  SUX4J("sux4j");

  private final String label;

  PerfectHashConstruction(String label) {
    this.label = label;
  }

  /** Returns the name in options and on the command line. */
  @Override
  public String toString() {
    return label;
  }
}
