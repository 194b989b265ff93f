package io.bsdb.reader.follow;

/** Says what opening a {@link TableReader} does if nothing has been published. */
public enum InitialLoad {
  /** Fails. */
  REQUIRE,
  /** Waits for the first version, until interrupted. */
  WAIT,
  /**
   * Begins without records: every key is absent, and the manifest's version is {@code
   * 0000000000-00000000}, until a refresh finds the first version.
   */
  EMPTY
}
