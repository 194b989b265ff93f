package io.bsdb.reader.block;

import java.io.Closeable;

/**
 * Fetches blocks from wherever they are: the only difference between access modes. Safe for many
 * threads. A cache is a source in front of another.
 */
public interface BlockSource extends BlockFetch, Closeable {
  /** Best way to fetch the blocks of many keys. */
  enum Batching {
    /** Fetching takes no more than reading memory: key by key. */
    IN_PLACE,
    /** Each distinct block once, one after the other. */
    IN_TURN,
    /** Each distinct block once, by requests that are all in flight together. */
    TOGETHER
  }

  /**
   * Fetches a block and calls the request back: before this returns if blocks are in memory, else
   * later, in a thread of the source. Waits while too many requests are queued, but not in a thread
   * of a source. After {@link #close} the request fails.
   */
  void fetch(BlockRequest request);

  /** Returns how the blocks of many keys are best fetched. */
  Batching batching();

  /**
   * Returns whether the calling thread is one that requests of others wait for, of whatever source:
   * it must not wait for a request itself.
   */
  default boolean isCallbackThread() {
    return ReadThread.isCurrent();
  }

  /** Returns the number of requests queued or in flight. */
  long inFlight();

  /**
   * Returns how blocks are reached, for people: the access mode, or what stands in for it and why.
   */
  String description();

  /**
   * Fails the requests that wait and returns when none is in flight. Not from a callback thread.
   * Idempotent.
   */
  @Override
  void close();
}
