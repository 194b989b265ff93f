package io.bsdb.kstreams;

import io.bsdb.reader.Nearest;
import io.bsdb.reader.RecordReader;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The rule by which a key selects a record. All but {@link #EXACT} need a table in key order. */
public enum Match {
  /** The record with the key itself. */
  EXACT,
  /**
   * The record with the greatest key that is not above the key. With a primary key of several
   * columns, all but the last must be equal: the price of an item that is valid at a time is not
   * that of another item. In a table with a history a join takes the time of the record if the key
   * lacks one.
   */
  FLOOR,
  /** The record with the longest key that the key begins with. */
  LONGEST_PREFIX;

  /** Checks that a version can be looked up so. */
  void accept(Manifest manifest, String lookup) throws SchemaMismatchException {
    if (this != EXACT && manifest.order() != RecordOrder.KEY) {
      throw new SchemaMismatchException(
          "lookup '%s': version=%s does not fit: it is in hash order, which has no match %s; build the table with order 'key'"
              .formatted(lookup, manifest.version(), this));
    }
    if (this == LONGEST_PREFIX && manifest.validity() != null) {
      throw new SchemaMismatchException(
          "lookup '%s': version=%s does not fit: it has a history, whose keys end in a time and are no prefixes; use match FLOOR"
              .formatted(lookup, manifest.version()));
    }
  }

  /** Finds a record and reads it where it lies; null if there is none. */
  <V> @Nullable V find(SnapshotReader reader, byte[] key, RecordReader<V> records)
      throws IOException {
    return switch (this) {
      case EXACT -> reader.get(key, records.of(key));
      case FLOOR -> Nearest.FLOOR.find(reader, key, records);
      case LONGEST_PREFIX -> Nearest.LONGEST_PREFIX.find(reader, key, records);
    };
  }
}
