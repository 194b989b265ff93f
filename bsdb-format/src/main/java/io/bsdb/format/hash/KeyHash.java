package io.bsdb.format.hash;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hasher128;
import com.dynatrace.hash4j.hashing.Hashing;

/**
 * XXH3-128 with seed 0 over the key's bytes: the one hash of format version 1. The high word
 * selects the partition by its upper bits and the signature by its lower bits; the perfect hash
 * mixes both words.
 */
public final class KeyHash {
  private static final Hasher128 XXH3 = Hashing.xxh3_128();

  private KeyHash() {}

  /**
   * Returns the 128-bit hash of a key. Take the words with {@code getMostSignificantBits} (high)
   * and {@code getLeastSignificantBits}.
   */
  public static HashValue128 hash(byte[] key) {
    return XXH3.hashBytesTo128Bits(key);
  }

  /** Returns the same over a part of an array. */
  public static HashValue128 hash(byte[] bytes, int offset, int length) {
    return XXH3.hashBytesTo128Bits(bytes, offset, length);
  }

  /**
   * Returns the signature of a key: the low {@code bits} (0 to 32) bits of its hash's high word.
   */
  public static int signature(long high, int bits) {
    return (int) (high & ((1L << bits) - 1));
  }
}
