package io.bsdb.flink.scan;

import io.bsdb.table.manifest.Manifest;
import java.io.Serializable;
import java.util.List;

/** Part of a version that a query reads. */
public sealed interface Extent extends Serializable {
  /** All rows. */
  record AllRows() implements Extent {}

  /**
   * The rows of some keys.
   *
   * @param keys distinct, encoded with their columns in the order of the DDL
   */
  record RowsOfKeys(List<byte[]> keys) implements Extent {
    public RowsOfKeys {
      keys = List.copyOf(keys);
    }
  }

  /**
   * The rows of a range of keys, from the first key that begins with some bytes, or is above them,
   * to the last one that begins with others.
   *
   * @param first encoded as the DDL has keys; empty for no bound
   * @param last the same
   */
  @SuppressWarnings("ArrayRecordComponent") // ranges are not compared
  record RowsOfRange(byte[] first, byte[] last) implements Extent {}

  /**
   * No rows, only their number: that of the manifest if it is exact, otherwise the rows of each
   * partition are counted.
   *
   * @param columns how often it is wanted
   */
  record RowCount(int columns) implements Extent {
    /** Returns whether a manifest has the exact number: no rows have changed or ended. */
    boolean isExactIn(Manifest manifest) {
      return !manifest.hasChanges() && manifest.validity() == null;
    }
  }
}
