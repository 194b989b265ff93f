package io.bsdb.reader;

/** How a reader reaches the blocks of a snapshot. */
public enum Access {
  /**
   * The files are mapped; the page cache decides what is in memory. For data near or below the size
   * of memory.
   */
  MAPPED
}
