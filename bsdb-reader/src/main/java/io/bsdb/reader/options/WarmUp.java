package io.bsdb.reader.options;

/**
 * The time at which a snapshot is warmed up: every block is loaded, mapped and verified in advance,
 * so that lookups need not do it. Reads the snapshot once, in the thread that opens it; a damaged
 * block is found then, and the snapshot refused.
 *
 * <p>Useful with {@link Access#MAPPED} and {@link Access#RESIDENT}; with {@link Access#MAPPED},
 * only tables up to half the size of memory are warmed up, so that two versions stay in it. Others
 * are never warmed up.
 */
public enum WarmUp {
  /** Never: the first lookup in a block does all this for it. */
  NEVER,
  /**
   * When a {@code TableReader} changes over: before a new version takes the place of the one in
   * use, which serves meanwhile. The first version serves at once.
   */
  REFRESH,
  /** Whenever a snapshot is opened, which then takes as long as reading it. */
  ALWAYS
}
