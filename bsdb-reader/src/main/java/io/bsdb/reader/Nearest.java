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

  /** Returns the target of a search. */
  OrderedSeek.Target target() {
    return switch (this) {
      case FLOOR -> OrderedSeek.Target.FLOOR;
      case CEILING -> OrderedSeek.Target.CEILING;
      case LONGEST_PREFIX -> OrderedSeek.Target.LONGEST_PREFIX;
    };
  }

  /**
   * Finds a record in the calling thread; null if there is none.
   *
   * @throws IllegalStateException if the snapshot is in hash order
   */
  public @Nullable KeyValue find(SnapshotReader reader, byte[] key) throws IOException {
    return find(reader, key, RecordReader.COPY);
  }

  /** Reads a record, its value where it lies, as {@link #find(SnapshotReader, byte[])} finds it. */
  public <T> @Nullable T find(SnapshotReader reader, byte[] key, RecordReader<T> records)
      throws IOException {
    return reader.ordered().find(this, key, accepting(reader, key, records));
  }

  /** Finds a record without waiting for the disk, as {@link #find} does. */
  public CompletableFuture<@Nullable KeyValue> begin(SnapshotReader reader, byte[] key) {
    return begin(reader, key, RecordReader.COPY);
  }

  /** Reads a record, its value where it lies, without waiting for the disk. */
  public <T> CompletableFuture<@Nullable T> begin(
      SnapshotReader reader, byte[] key, RecordReader<T> records) {
    return reader.async().ordered().find(this, key, accepting(reader, key, records));
  }

  /** Returns a reader that passes records on if their leading columns are those of the key. */
  private <T> RecordReader<T> accepting(
      SnapshotReader reader, byte[] key, RecordReader<T> records) {
    Schema schema = reader.manifest().schema();
    if (this == LONGEST_PREFIX || schema == null || schema.keyColumns().size() == 1) {
      return records;
    }
    return (found, bytes, offset, length) -> {
      int leading = KeyView.of(schema).wrap(key).leadingLength();
      boolean same = found.length >= leading && Arrays.equals(key, 0, leading, found, 0, leading);
      return same ? records.read(found, bytes, offset, length) : null;
    };
  }
}
