package io.bsdb.sql;

import java.io.IOException;

/** Takes the records of a query. The arrays are the caller's and change after the call. */
public interface RecordSink {
  /**
   * Takes a record, which lies at the start of both arrays.
   *
   * @param row of the query's result, from 1
   */
  void add(byte[] key, int keyLength, byte[] value, int valueLength, long row) throws IOException;

  /** Hears of a row that cannot be a record. */
  void refuse(long row, String reason);
}
