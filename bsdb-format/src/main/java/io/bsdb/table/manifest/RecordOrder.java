package io.bsdb.table.manifest;

/** The order in which a snapshot's records are stored, and by which partitions divide them. */
public enum RecordOrder {
  /** By a perfect hash of the keys: for lookups of single keys. */
  HASH,
  /**
   * By the unsigned bytes of the keys: for floors, ranges and prefixes beside lookups of single
   * keys.
   */
  KEY
}
