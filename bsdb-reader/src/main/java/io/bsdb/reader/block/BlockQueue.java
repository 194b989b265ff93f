package io.bsdb.reader.block;

/** Reads blocks from disk in separate threads. Safe for many threads. */
interface BlockQueue {
  /**
   * Queues a request; waits while the queue is full, but not in a read thread, of whatever queue:
   * two could wait for each other. After {@link #close} the request fails.
   */
  void add(BlockRequest request);

  /** Returns the number of requests queued or in flight. */
  long inFlight();

  /** Returns what reads, for people. */
  String description();

  /** Fails the waiting requests; returns when none is in flight. Not called from a read thread. */
  void close();
}
