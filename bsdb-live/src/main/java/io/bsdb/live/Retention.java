package io.bsdb.live;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Deletes segments of a log whose changes are published, once nobody follows the log through them,
 * or when they are too many. Safe for many threads.
 */
final class Retention {
  /** Segments that are kept for followers; with 64 MiB each, 1 GiB. */
  static final int MAX_SEGMENTS = 16;

  private final LogStorage storage;
  private final Followers followers;
  private final Deque<String> kept;

  /**
   * @param old segments that are there and are published, in their order
   */
  Retention(LogStorage storage, Followers followers, List<String> old) {
    this.storage = storage;
    this.followers = followers;
    this.kept = new ArrayDeque<>(old);
  }

  /** Takes a segment that is no longer used. */
  synchronized void add(String name) throws IOException {
    kept.add(name);
    trim();
  }

  /** Deletes what may be deleted. */
  synchronized void trim() throws IOException {
    long needed = followers.firstNeeded();
    while (!kept.isEmpty()
        && (kept.size() > MAX_SEGMENTS || LogPart.number(storage, kept.element()) < needed)) {
      storage.delete(kept.element());
      kept.remove();
    }
  }
}
