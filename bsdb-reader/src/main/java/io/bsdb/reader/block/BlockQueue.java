package io.bsdb.reader.block;

/** Reads blocks from disk in threads of its own. Safe for many threads. */
interface BlockQueue {
  /**
   * Queues a request; waits while the queue is full, but not in a read thread. After {@link #close}
   * the request fails.
   */
  void add(BlockRequest request);

  /** Returns whether the calling thread completes requests of this queue. */
  boolean isReadThread();

  /** Returns the number of requests queued or in flight. */
  long inFlight();

  /** Returns what reads, for people. */
  String description();

  /** Fails what waits; returns when nothing is in flight. Not from a read thread. */
  void close();
}
