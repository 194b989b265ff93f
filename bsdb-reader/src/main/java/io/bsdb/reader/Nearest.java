package io.bsdb.reader;

import io.bsdb.row.KeyView;
import io.bsdb.row.Schema;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A rule that selects the record nearest to a key, in a table in key order. Of a primary key of
 * several columns, {@link #FLOOR} and {@link #CEILING} find only records whose columns but the last
 * are equal: the price of an item that is valid at a time is not that of another item. {@link
 * OrderedReader} has the same lookups across all keys.
 */
public enum Nearest {
  /** The record with the greatest key that is not above. */
  FLOOR,
  /** The record with the least key that is not below. */
  CEILING,
  /** The record with the longest key that the key begins with. */
  LONGEST_PREFIX;

  /**
   * Finds a record in the calling thread; null if there is none.
   *
   * @throws IllegalStateException if the snapshot is in hash order
   */
  public @Nullable KeyValue find(SnapshotReader reader, byte[] key) throws IOException {
    OrderedReader ordered = reader.ordered();
    return accepted(
        reader,
        key,
        switch (this) {
          case FLOOR -> ordered.floor(key);
          case CEILING -> ordered.ceiling(key);
          case LONGEST_PREFIX -> ordered.longestPrefix(key);
        });
  }

  /** Finds a record without waiting for the disk, as {@link #find} does. */
  public CompletableFuture<@Nullable KeyValue> begin(SnapshotReader reader, byte[] key) {
    AsyncOrderedReader ordered = reader.async().ordered();
    CompletableFuture<@Nullable KeyValue> found =
        switch (this) {
          case FLOOR -> ordered.floor(key);
          case CEILING -> ordered.ceiling(key);
          case LONGEST_PREFIX -> ordered.longestPrefix(key);
        };
    return found.thenApply(record -> accepted(reader, key, record));
  }

  private @Nullable KeyValue accepted(SnapshotReader reader, byte[] key, @Nullable KeyValue found) {
    Schema schema = reader.manifest().schema();
    if (found == null
        || this == LONGEST_PREFIX
        || schema == null
        || schema.keyColumns().size() == 1) {
      return found;
    }
    int leading = KeyView.of(schema).wrap(key).leadingLength();
    byte[] other = found.key();
    boolean same = other.length >= leading && Arrays.equals(key, 0, leading, other, 0, leading);
    return same ? found : null;
  }
}
