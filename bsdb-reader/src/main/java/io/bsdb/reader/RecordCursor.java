package io.bsdb.reader;

import java.io.Closeable;
import java.io.IOException;

/**
 * Walks over records in the order in which they are stored. Used by one thread; the reader stays
 * open until the cursor is closed.
 */
public interface RecordCursor extends Closeable {
  /**
   * Moves to the next record, or to the first.
   *
   * @return false if there is none
   * @throws io.bsdb.format.CorruptSnapshotException if a block is damaged
   */
  boolean next() throws IOException;

  /**
   * Returns a copy of the key of the current record.
   *
   * @throws UnsupportedOperationException if the snapshot stores no keys (approximate)
   */
  byte[] key() throws IOException;

  /** Returns a copy of the value of the current record. */
  byte[] value() throws IOException;

  /** Ends the walk. Idempotent. */
  @Override
  void close();
}
