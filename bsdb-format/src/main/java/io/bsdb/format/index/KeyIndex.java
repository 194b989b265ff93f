package io.bsdb.format.index;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.block.Block;
import io.bsdb.format.hash.PerfectHash;
import org.jspecify.annotations.Nullable;

/**
 * Finds the records of one partition: from a key to its block, and from the block, wherever it was
 * fetched to, to the record. Immutable and safe for many threads; allocates nothing.
 */
public interface KeyIndex {
  /** Stands for a key that is not in the partition. */
  long ABSENT = -1;

  /**
   * Returns the block that holds a key if any does, with what is already known of its place in it:
   * to be passed to the other methods. {@link #ABSENT} if the key is known to be absent without
   * looking at a record.
   *
   * @param high upper word of the key's hash
   * @param low lower word of the key's hash
   */
  long locate(byte[] key, long high, long low);

  /** Returns the perfect hash that {@link #locate} reads first; null if it reads none. */
  default @Nullable PerfectHash hash() {
    return null;
  }

  /** Returns whether {@link #locate} does not do, as a key is located by a search in key order. */
  default boolean needsSearch() {
    return false;
  }

  /** Returns how many bits of each key's signature {@link #locate} compares. */
  default int signatureBits() {
    return 0;
  }

  /** Returns the number of the record of a located key; -1 if only its block is known. */
  int record(long located);

  /** Returns the number of the block that a key was located in. */
  static int block(long located) {
    return (int) (located >>> 32);
  }

  /**
   * Returns where in its block lies what {@link #place} will read, in bytes from the block's start;
   * 0 if it reads nothing.
   */
  int placeOffset(long located);

  /**
   * Returns where a located record, or the frame that holds it, lies in the buffer of its block:
   * offset in the upper 32 bits, length in the lower.
   *
   * @param base where the block starts in its buffer
   */
  long place(Block block, int base, long located) throws CorruptSnapshotException;

  /**
   * Finds the value of a located key.
   *
   * @param base where the block starts in its buffer
   * @param place returned by {@link #place}
   * @return where the value lies in {@link Block#body}, offset in the upper 32 bits and length in
   *     the lower; {@link #ABSENT} if the record there has another key
   */
  long find(Block block, int base, long located, long place, byte[] key)
      throws CorruptSnapshotException;

  /** Finds the value of a located key whose place has not been asked for. */
  default long find(Block block, int base, long located, byte[] key)
      throws CorruptSnapshotException {
    return find(block, base, located, place(block, base, located), key);
  }
}
