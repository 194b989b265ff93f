package io.bsdb.live;

import io.bsdb.format.ValueReader;
import io.bsdb.live.log.LogIndex;
import io.bsdb.reader.overlay.Overlay;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Indexes of the changes in the log.
 *
 * @param newest changes that come now
 * @param frozen changes before those, which are being published; null if none are
 */
record LogIndexes(LogIndex newest, @Nullable LogIndex frozen) {
  /** Marks what was found in the frozen index. */
  private static final long FROZEN = 1L << 62;

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

  /**
   * Finds the newest change of a key.
   *
   * @param hash the high word of the key's hash
   * @return where its value is, or {@link Overlay#UNCHANGED}, or {@link Overlay#DELETED}
   */
  long find(byte[] key, long hash) {
    long found = newest.changes().find(key, hash);
    LogIndex before = frozen;
    if (found != Overlay.UNCHANGED || before == null) {
      return found;
    }
    long earlier = before.changes().find(key, hash);
    return earlier < 0 ? earlier : earlier | FROZEN;
  }

  private LogIndex index(long found) {
    return (found & FROZEN) == 0 ? newest : Objects.requireNonNull(frozen, "frozen");
  }

  /** Lends a value that was found, as {@link LogIndex#read} does. */
  <T> @Nullable T read(long found, int key, ValueReader<T> reader) {
    return index(found).read(found & ~FROZEN, key, reader);
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
    return newest.changes().keys() + (frozen == null ? 0 : frozen.changes().keys());
  }

  long indexBytes() {
    return newest.changes().indexBytes() + (frozen == null ? 0 : frozen.changes().indexBytes());
  }
}
