package io.bsdb.flink.lookup;

/** The rows that come to a subtask that looks up. */
public enum InputShuffle {
  /** Any. */
  NONE,
  /** Only the rows of its share of the keys. */
  BY_KEY
}
