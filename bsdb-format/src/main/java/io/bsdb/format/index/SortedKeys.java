package io.bsdb.format.index;

/** The keys of a partition in their order, while it is written. */
public interface SortedKeys {
  /** Returns a copy of the key of a record. */
  byte[] get(int record);
}
