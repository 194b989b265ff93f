package io.bsdb.cli;

import java.io.IOException;

/** Takes the records of an input. The arrays are the caller's and change after the call. */
@FunctionalInterface
interface RecordSink {
  /**
   * One record.
   *
   * @param line on which it began, from 1
   */
  void add(
      byte[] key,
      int keyOffset,
      int keyLength,
      byte[] value,
      int valueOffset,
      int valueLength,
      long line)
      throws IOException;
}
