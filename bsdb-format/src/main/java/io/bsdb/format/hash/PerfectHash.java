package io.bsdb.format.hash;

import io.bsdb.format.CorruptSnapshotException;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A minimal perfect hash: maps each of the n keys it was built from to a number of its own in
 * {@code [0, n)}, its rank. Keys are given by their 128-bit hash; a key that it was not built from
 * gets an arbitrary rank, also in {@code [0, n)}.
 *
 * <p>It is evaluated in place from the bytes of its section, which must stay valid and unchanged
 * for as long as it is used. Immutable and safe for use by many threads. Lookups allocate nothing,
 * but for {@link #ranks}.
 */
public interface PerfectHash {

  /** Returns the number of keys, n; at most {@link PerfectHashBuilder#MAX_SIZE}. */
  int size();

  /**
   * Returns the rank of a key.
   *
   * @throws IllegalStateException if this hash is empty, so that there is no rank
   */
  int rank(long high, long low);

  /**
   * Returns where in {@link #bytes} lies what {@link #rank} reads first; -1 if it is not worth
   * reading ahead. To read it for many keys of several hashes before asking for their ranks has
   * their cache misses in flight at once.
   */
  default int firstRead(long high, long low) {
    return -1;
  }

  /** Returns what this is evaluated from; for hashes with a {@link #firstRead}. */
  default ByteBuffer bytes() {
    throw new IllegalStateException("nothing of this perfect hash is read ahead");
  }

  /**
   * Ranks the first {@code count} keys of two arrays as {@link #rank} does, but where that pays
   * with the cache misses of many keys in flight at once. Allocates 8 bytes per key, at most 32
   * KiB.
   *
   * @throws IllegalStateException if this hash is empty and {@code count} is positive
   * @throws IndexOutOfBoundsException if an array is shorter than {@code count}, or {@code count}
   *     is negative
   */
  default void ranks(long[] high, long[] low, int count, int[] ranks) {
    Objects.checkFromIndexSize(0, count, Math.min(ranks.length, Math.min(high.length, low.length)));
    for (int i = 0; i < count; i++) {
      ranks[i] = rank(high[i], low[i]);
    }
  }

  /**
   * Opens the section that lies between the buffer's position and its limit. Reads the header and
   * the directory, about a bit per thousand keys or (kind {@link PerfectHashKind#SUX4J}) per
   * twenty, never the whole. Whatever the rest of the bytes hold, ranks will be in {@code [0, n)}.
   *
   * @param section a slice, preferably direct or mapped; its position and order do not change
   * @throws CorruptSnapshotException if a count, length or range in it is impossible
   */
  static PerfectHash open(ByteBuffer section) throws CorruptSnapshotException {
    return PerfectHashSection.open(section);
  }
}
