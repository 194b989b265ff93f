package io.bsdb.reader.options;

/**
 * Way in which a reader accesses the blocks of a snapshot. The index of every partition is in
 * memory, mapped or copied, in any case.
 */
public enum Access {
  /**
   * The files are mapped; the page cache decides what is in memory. For data near or below the size
   * of memory.
   */
  MAPPED,
  /**
   * The files are copied into off-heap memory at open, in huge pages where allowed. For the hottest
   * data and steady latency.
   */
  RESIDENT,
  /**
   * Each lookup reads one block past the page cache (O_DIRECT). For data far above the size of
   * memory.
   */
  DIRECT,
  /**
   * The same reads through io_uring, many in flight at once. Where io_uring is not available, a
   * pool of threads reads as with {@link #DIRECT}; one logged line gives the reason. For {@code
   * AsyncSnapshotReader}; a {@code SnapshotReader}, whose calls wait one by one, reads as with
   * {@link #DIRECT}.
   */
  IO_URING;

  /** Returns whether each lookup waits for the disk, unless a block cache holds what it needs. */
  public boolean readsFromDisk() {
    return this == DIRECT || this == IO_URING;
  }
}
