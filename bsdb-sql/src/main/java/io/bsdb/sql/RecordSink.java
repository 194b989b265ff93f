package io.bsdb.sql;

import java.io.IOException;

/** Takes the records of a query. The array is the caller's and changes after the call. */
public interface RecordSink {
  /**
   * Takes a record, whose value follows its key.
   *
   * @param row of the query's result, from 1
   */
  void add(byte[] bytes, int keyOffset, int keyLength, int valueLength, long row)
      throws IOException;

  /** Receives a row that cannot be a record. */
  void refuse(long row, String reason);
}
