package io.bsdb.writer;

/** Receives the progress of a build, from the threads that build partitions, one call at a time. */
public interface BuildListener {
  /** Ignores all. */
  BuildListener NONE = (done, total, records) -> {};

  /**
   * Called when another partition is done: its file is complete and durable, or it has no records.
   * Files of partitions without records are written when the snapshot is published.
   *
   * @param done how many are done, of {@code total}
   * @param records records in those
   */
  void partitionBuilt(int done, int total, long records);
}
