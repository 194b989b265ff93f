package io.bsdb.reader;

import io.bsdb.format.index.KeyOrder;
import io.bsdb.reader.snapshot.OrderedSeek;
import io.bsdb.row.KeyView;
import io.bsdb.row.KeyWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A rule that selects the record nearest to a key, in a table in key order. With a primary key of
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
   * Returns the target of a search.
   *
   * @throws IllegalStateException if a version has no such records
   */
  OrderedSeek.Target target(Manifest manifest) {
    if (this == LONGEST_PREFIX && manifest.validity() != null) {
      throw new IllegalStateException(
          "keys of a table with a history end in a time, and are no prefixes: version=%s; ask for a floor"
              .formatted(manifest.version()));
    }
    return switch (this) {
      case FLOOR -> OrderedSeek.Target.FLOOR;
      case CEILING -> OrderedSeek.Target.CEILING;
      case LONGEST_PREFIX -> OrderedSeek.Target.LONGEST_PREFIX;
    };
  }

  /** Returns the greatest key that can have some leading columns and be valid at a time. */
  static byte[] keyAsOf(Manifest manifest, byte[] prefix, Instant time) {
    Schema schema = manifest.schema();
    if (schema == null) {
      throw new IllegalStateException(
          "the table has plain bytes as keys, which have no time: version=" + manifest.version());
    }
    return KeyWriter.asOf(schema, prefix, time);
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
      return within(Arrays.copyOf(key, leading), records).read(found, bytes, offset, length);
    };
  }

  /** Returns a reader that passes records on if their keys begin with some bytes. */
  static <T> RecordReader<T> within(byte[] prefix, RecordReader<T> records) {
    Objects.requireNonNull(records, "reader");
    return (found, bytes, offset, length) ->
        KeyOrder.commonBytes(found, prefix) == prefix.length
            ? records.read(found, bytes, offset, length)
            : null;
  }
}
