package io.bsdb.live.log;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Deletes segments of a log whose changes are published, once all followers have read them, or when
 * they take too much space. Safe for many threads.
 */
public final class Retention {
  /** Space kept for followers, as a number of the longest segments. */
  public static final int SEGMENTS = 16;

  private final LogStorage storage;
  private final Followers followers;
  private final long maxBytes;
  private final Deque<String> kept = new ArrayDeque<>();
  private long bytes;

  /**
   * @param maxBytes of segments that are kept for followers
   * @param old segments that are there and are published, in their order
   */
  public Retention(LogStorage storage, Followers followers, long maxBytes, List<String> old)
      throws IOException {
    this.storage = storage;
    this.followers = followers;
    this.maxBytes = maxBytes;
    for (String name : old) {
      keep(name);
    }
  }

  /** Takes a segment that is no longer used. */
  synchronized void add(String name) throws IOException {
    keep(name);
    trim();
  }

  private void keep(String name) throws IOException {
    bytes += storage.length(name);
    kept.add(name);
  }

  /** Deletes what may be deleted. */
  public synchronized void trim() throws IOException {
    long needed = followers.firstNeeded();
    while (!kept.isEmpty()
        && (bytes > maxBytes || LogPart.number(storage, kept.element()) < needed)) {
      long length = storage.length(kept.element());
      storage.delete(kept.element());
      kept.remove();
      bytes -= length;
    }
  }
}
