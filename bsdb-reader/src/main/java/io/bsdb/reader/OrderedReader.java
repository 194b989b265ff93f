package io.bsdb.reader;

import java.io.IOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Looks keys up by their order, in a table that was built in key order. Keys are compared as
 * unsigned bytes, a prefix before what it is one of. Safe for many threads.
 *
 * <p>Methods that find one record return null if there is none. They cost one read of a block that
 * is not in memory, {@link #longestPrefix} one for each shorter candidate. They throw {@link
 * io.bsdb.format.CorruptSnapshotException} if a block is damaged and {@link ClosedReaderException}
 * after close.
 *
 * <p>In a table with a history, ended rows are absent. {@link #floor} answers null where it meets
 * one, as nothing is valid from there on; the others go on past it. There are no longest prefixes.
 */
public interface OrderedReader {
  /**
   * Reads the record nearest to a key, across all keys, its value where it lies.
   *
   * @return what the reader returned, or null: there is none
   */
  <T> @Nullable T find(Nearest nearest, byte[] key, RecordReader<T> reader) throws IOException;

  /** Returns the record with the greatest key that is not above a key. */
  default @Nullable KeyValue floor(byte[] key) throws IOException {
    return find(Nearest.FLOOR, key, RecordReader.COPY);
  }

  /** Returns the record with the least key that is not below a key. */
  default @Nullable KeyValue ceiling(byte[] key) throws IOException {
    return find(Nearest.CEILING, key, RecordReader.COPY);
  }

  /**
   * Reads the row of a history that was valid at a time: of the keys with some leading columns the
   * one with the greatest time that is not after. In any table whose key ends in a time.
   *
   * @param prefix all columns of the key but the last, as {@link
   *     io.bsdb.row.RowCodec#encodeKeyPrefix} encodes them
   * @param time in UTC if the column has no time zone
   * @return what the reader returned, or null: nothing was valid
   * @throws IllegalArgumentException if the prefix is of other columns, or the last is no time
   */
  <T> @Nullable T asOf(byte[] prefix, Instant time, RecordReader<T> reader) throws IOException;

  /** Returns the row of a history that was valid at a time; as the method with a reader. */
  default @Nullable KeyValue asOf(byte[] prefix, Instant time) throws IOException {
    return asOf(prefix, time, RecordReader.COPY);
  }

  /** Returns the record with the greatest key below a key. */
  @Nullable KeyValue lower(byte[] key) throws IOException;

  /** Returns the record with the least key above a key. */
  @Nullable KeyValue higher(byte[] key) throws IOException;

  /** Returns the record with the least key. */
  @Nullable KeyValue first() throws IOException;

  /** Returns the record with the greatest key. */
  @Nullable KeyValue last() throws IOException;

  /** Returns the record with the longest key that a key begins with. */
  default @Nullable KeyValue longestPrefix(byte[] key) throws IOException {
    return find(Nearest.LONGEST_PREFIX, key, RecordReader.COPY);
  }

  /**
   * Returns the records of a range, in its direction. From disk, blocks are read ahead, up to 128
   * KiB at a time. To be closed.
   */
  RecordCursor range(KeyRange range) throws IOException;
}
