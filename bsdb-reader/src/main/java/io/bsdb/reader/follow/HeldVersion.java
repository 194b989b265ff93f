package io.bsdb.reader.follow;

import io.bsdb.reader.SnapshotReader;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An open version and how many hold it: its place as the current one counts as one. Safe for many
 * threads.
 */
final class HeldVersion {
  private final SnapshotReader reader;
  private final AtomicInteger holders = new AtomicInteger(1);

  HeldVersion(SnapshotReader reader) {
    this.reader = reader;
  }

  SnapshotReader reader() {
    return reader;
  }

  String name() {
    return reader.manifest().version();
  }

  /** Returns false if it has been closed. */
  boolean hold() {
    for (int count = holders.get(); count > 0; count = holders.get()) {
      if (holders.compareAndSet(count, count + 1)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether this was the last holder, who is to close the reader. */
  boolean release() {
    return holders.decrementAndGet() == 0;
  }
}
