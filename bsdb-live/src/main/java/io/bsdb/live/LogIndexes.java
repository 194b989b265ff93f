package io.bsdb.live;

import io.bsdb.reader.overlay.Overlay;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Indexes of the changes in the log.
 *
 * @param newest changes that come now
 * @param frozen changes before those, which are being published; null if none are
 */
record LogIndexes(LogIndex newest, @Nullable LogIndex frozen) {
  /** The indexes in use. Safe for many threads. */
  static final class InUse {
    private volatile LogIndexes indexes;

    InUse(LogIndexes indexes) {
      this.indexes = indexes;
    }

    LogIndexes get() {
      return indexes;
    }

    void set(LogIndexes next) {
      indexes = next;
    }
  }

  /** Returns the index that has the newest change of a key; any if none has one. */
  LogIndex with(byte[] key) {
    LogIndex before = frozen;
    return before != null && newest.find(key) == Overlay.UNCHANGED ? before : newest;
  }

  /** Returns a version's positions with those of the log over them. */
  Map<String, String> over(Map<String, String> positions) {
    Map<String, String> all = new HashMap<>(positions);
    if (frozen != null) {
      all.putAll(frozen.positions());
    }
    all.putAll(newest.positions());
    return all;
  }

  void close() {
    newest.close();
    if (frozen != null) {
      frozen.close();
    }
  }

  long keys() {
    return newest.keys() + (frozen == null ? 0 : frozen.keys());
  }

  long indexBytes() {
    return newest.length() + (frozen == null ? 0 : frozen.length());
  }
}
