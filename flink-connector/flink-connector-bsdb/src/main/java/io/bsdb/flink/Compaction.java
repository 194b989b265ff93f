package io.bsdb.flink;

/** Whether the job that streams into a table folds its changes. */
public enum Compaction {
  /** It does, when many keys have changed or the changes take much space. */
  AUTO,
  /** Others do. */
  OFF
}
