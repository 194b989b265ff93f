package io.bsdb.reader;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Looks keys up by their order without waiting for the disk: the sibling of {@link OrderedReader},
 * with the same answers. Futures are completed by the threads that {@link AsyncSnapshotReader}
 * names. Safe for many threads.
 */
public interface AsyncOrderedReader {
  /**
   * Reads the record nearest to a key, across all keys, its value where it lies; null: there is
   * none.
   *
   * @param reader as in {@link AsyncSnapshotReader#get(byte[], io.bsdb.format.ValueReader)}
   */
  <T> CompletableFuture<@Nullable T> find(Nearest nearest, byte[] key, RecordReader<T> reader);

  /** Finds the record with the greatest key that is not above a key; null: there is none. */
  default CompletableFuture<@Nullable KeyValue> floor(byte[] key) {
    return find(Nearest.FLOOR, key, RecordReader.COPY);
  }

  /**
   * Reads the row of a history that was valid at a time, as {@link OrderedReader#asOf(byte[],
   * Instant, RecordReader)} does; null: nothing was valid.
   *
   * @param reader as in {@link #find}
   */
  <T> CompletableFuture<@Nullable T> asOf(byte[] prefix, Instant time, RecordReader<T> reader);

  /** Returns the row of a history that was valid at a time; as the method with a reader. */
  default CompletableFuture<@Nullable KeyValue> asOf(byte[] prefix, Instant time) {
    return asOf(prefix, time, RecordReader.COPY);
  }

  /** Finds the record with the least key that is not below a key; null: there is none. */
  default CompletableFuture<@Nullable KeyValue> ceiling(byte[] key) {
    return find(Nearest.CEILING, key, RecordReader.COPY);
  }

  /** Finds the record with the longest key that a key begins with; null: there is none. */
  default CompletableFuture<@Nullable KeyValue> longestPrefix(byte[] key) {
    return find(Nearest.LONGEST_PREFIX, key, RecordReader.COPY);
  }

  /**
   * Collects the first records of a range, in its direction.
   *
   * @param limit maximum number of records, at least 0
   */
  default CompletableFuture<List<KeyValue>> range(KeyRange range, int limit) {
    return range(range, limit, Long.MAX_VALUE);
  }

  /**
   * Collects the first records of a range, in its direction, until they are enough. To go on, ask
   * for the range {@link KeyRange#after} the last key or, in the other direction, {@link
   * KeyRange#before} it.
   *
   * @param limit maximum number of records, at least 0
   * @param bytes that keys and values have together, after which no further record is added
   */
  default CompletableFuture<List<KeyValue>> range(KeyRange range, int limit, long bytes) {
    return range(range, limit, bytes, RecordReader.COPY);
  }

  /**
   * Reads the first records of a range, their values where they lie, in its direction, until they
   * are enough.
   *
   * @param reader as in {@link #find}; returns no null
   * @return what the reader returned for each record
   */
  <T> CompletableFuture<List<T>> range(
      KeyRange range, int limit, long bytes, RecordReader<T> reader);
}
