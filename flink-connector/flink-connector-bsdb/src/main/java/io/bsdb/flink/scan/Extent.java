package io.bsdb.flink.scan;

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
   * No row: their number alone, which the manifest tells of a version without changes; else the
   * rows of each partition are counted.
   *
   * @param columns how often it is wanted
   */
  record RowCount(int columns) implements Extent {}
}
