package io.bsdb.flink.lookup;

/** Which rows come to a subtask that looks up. */
public enum InputShuffle {
  /** Any. */
  NONE,
  /** Only the rows of its share of the keys. */
  BY_KEY
}
