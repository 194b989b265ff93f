package io.bsdb.writer;

/** Hears how far a build is. Called from the threads that build partitions, one call at a time. */
public interface BuildListener {
  /** Hears nothing. */
  BuildListener NONE = (done, total, records) -> {};

  /**
   * Another partition file is complete and durable.
   *
   * @param done how many are, of {@code total}
   * @param records records in those
   */
  void partitionBuilt(int done, int total, long records);
}
