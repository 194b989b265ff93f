package io.bsdb.writer;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** Takes the records of a build in any order and divides them into partitions. */
interface RecordIntake extends Closeable {
  /**
   * Adds a record; copies what it needs.
   *
   * @throws IOException after which records may be lost
   */
  void add(byte[] key, int keyOffset, int keyLength, byte[] value, int valueOffset, int valueLength)
      throws IOException;

  /** Divides what was added, once. */
  Division divide() throws IOException;

  /**
   * Records that are to be built.
   *
   * @param partitionCount of the whole snapshot
   */
  record Division(int partitionCount, List<ParallelBuild.Task> tasks) {}

  /** Gives memory and disk space back. */
  @Override
  void close() throws IOException;
}
