package io.bsdb.reader;

import io.bsdb.format.ValueReader;
import java.io.Closeable;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Walks over records in the order in which they are stored. Used by one thread; the reader stays
 * open until the cursor is closed.
 */
public interface RecordCursor extends Closeable {
  /**
   * Moves to the next record, or to the first. Once this has failed, records may be left out: a
   * walk that is to be complete begins again with another cursor.
   *
   * @return false if there is none
   * @throws io.bsdb.format.CorruptSnapshotException if a block is damaged
   */
  boolean next() throws IOException;

  /**
   * Returns a copy of the key of the current record.
   *
   * @throws IllegalStateException before the first record and after the last one
   * @throws UnsupportedOperationException if the snapshot stores no keys (approximate)
   */
  byte[] key() throws IOException;

  /**
   * Reads the value of the current record where it lies; returns what the reader returns.
   *
   * @param reader must not close or move this cursor
   * @throws IllegalStateException as {@link #key()}
   */
  <T> @Nullable T value(ValueReader<T> reader) throws IOException;

  /** Returns a copy of the value of the current record. */
  default byte[] value() throws IOException {
    return Objects.requireNonNull(value(ValueReader.COPY), "value");
  }

  /** Ends the walk. Idempotent. */
  @Override
  void close();
}
