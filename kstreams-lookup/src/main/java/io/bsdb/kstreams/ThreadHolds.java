package io.bsdb.kstreams;

import java.util.HashMap;
import java.util.Map;

/**
 * The holds of the threads that run joins with one lookup; a thread's joins share one. Safe for
 * many threads.
 */
final class ThreadHolds<K, V> {
  private final SnapshotSource source;
  private final TableFormat<K, V> format;
  private final Map<Thread, VersionHold<K, V>> holds = new HashMap<>();

  ThreadHolds(SnapshotSource source, TableFormat<K, V> format) {
    this.source = source;
    this.format = format;
  }

  /** The calling thread's hold, to be given to {@link #release}. */
  synchronized VersionHold<K, V> acquire() {
    Thread thread = Thread.currentThread();
    VersionHold<K, V> hold = holds.get(thread);
    if (hold == null) {
      hold = new VersionHold<>(source, format);
      holds.put(thread, hold);
    }
    hold.users++;
    return hold;
  }

  synchronized void release(VersionHold<K, V> hold) {
    hold.users--;
    if (hold.users == 0) {
      holds.values().remove(hold);
      hold.close();
    }
  }
}
