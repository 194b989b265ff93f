package io.bsdb.reader;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Looks keys up by their order without waiting for the disk: the sibling of {@link OrderedReader},
 * with the same answers. Futures are completed by the threads that {@link AsyncSnapshotReader}
 * names. Safe for many threads.
 */
public interface AsyncOrderedReader {
  /** Finds the record with the greatest key that is not above a key; null: there is none. */
  CompletableFuture<@Nullable KeyValue> floor(byte[] key);

  /** Finds the record with the least key that is not below a key; null: there is none. */
  CompletableFuture<@Nullable KeyValue> ceiling(byte[] key);

  /** Finds the record with the longest key that a key begins with; null: there is none. */
  CompletableFuture<@Nullable KeyValue> longestPrefix(byte[] key);

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
  CompletableFuture<List<KeyValue>> range(KeyRange range, int limit, long bytes);
}
