package io.bsdb.flink.lookup;

/** Which rows come to a subtask that looks up. */
public enum InputShuffle {
  /** Any. */
  NONE,
  /** Those of its share of the keys. */
  BY_KEY
}
