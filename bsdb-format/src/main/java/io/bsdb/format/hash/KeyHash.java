package io.bsdb.format.hash;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hasher128;
import com.dynatrace.hash4j.hashing.Hashing;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * XXH3-128 with seed 0 over the key's bytes: the one hash of format version 1. The high word
 * selects the partition by its upper bits and the signature by its lower bits; the perfect hash
 * mixes both words.
 *
 * <p>Keys of up to 16 bytes are hashed here, by the algorithm's specification (Yann Collet,
 * xxHash), in methods so small that the compiler puts them into the lookup and does without the
 * object that is returned; hash4j hashes longer ones.
 */
public final class KeyHash {
  private static final Hasher128 XXH3 = Hashing.xxh3_128();
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long PRIME32_2 = 0x85EBCA77L;
  private static final long PRIME64_1 = 0x9E3779B185EBCA87L;
  private static final long PRIME64_2 = 0xC2B2AE3D27D4EB4FL;
  private static final long PRIME_MX1 = 0x165667919E3779F9L;
  private static final long PRIME_MX2 = 0x9FB21C651E98DF25L;

  // Words of the default secret, as each length combines them.
  private static final long FLIP_TO_8 = 0xDB979083E96DD4DEL ^ 0x1F67B3B7A4A44072L;
  private static final long FLIP_LOW_TO_16 = 0x78E5C0CC4EE679CBL ^ 0x2172FFCC7DD05A82L;
  private static final long FLIP_HIGH_TO_16 = 0x8E2443F7744608B8L ^ 0x4C263A81E69035E0L;

  private KeyHash() {}

  /**
   * Returns the 128-bit hash of a key. Take the words with {@code getMostSignificantBits} (high)
   * and {@code getLeastSignificantBits}.
   */
  public static HashValue128 hash(byte[] key) {
    return hash(key, 0, key.length);
  }

  /** Returns the same over a part of an array. */
  public static HashValue128 hash(byte[] bytes, int offset, int length) {
    long high;
    long low;
    if (length > 8 && length <= 16) {
      long last = (long) LONGS.get(bytes, offset + length - Long.BYTES);
      long mixed = (long) LONGS.get(bytes, offset) ^ last ^ FLIP_LOW_TO_16;
      last ^= FLIP_HIGH_TO_16;
      high = multiplyHigh(mixed, PRIME64_1) + last + (last & 0xFFFFFFFFL) * (PRIME32_2 - 1);
      mixed = (mixed * PRIME64_1 + ((length - 1L) << 54)) ^ Long.reverseBytes(high);
      high = avalanche(multiplyHigh(mixed, PRIME64_2) + high * PRIME64_2);
      low = avalanche(mixed * PRIME64_2);
    } else if (length > 3 && length <= 8) {
      long first = (int) INTS.get(bytes, offset) & 0xFFFFFFFFL;
      long last = (int) INTS.get(bytes, offset + length - Integer.BYTES);
      long keyed = (first | (last << Integer.SIZE)) ^ FLIP_TO_8;
      long factor = PRIME64_1 + (length << 2);
      low = keyed * factor;
      high = multiplyHigh(keyed, factor) + (low << 1);
      low ^= high >>> 3;
      low = (low ^ (low >>> 35)) * PRIME_MX2;
      low ^= low >>> 28;
      high = avalanche(high);
    } else {
      HashValue128 hash = XXH3.hashBytesTo128Bits(bytes, offset, length);
      high = hash.getMostSignificantBits();
      low = hash.getLeastSignificantBits();
    }
    // The only object that leaves this method: the compiler can do without one, not without a
    // choice.
    return new HashValue128(high, low);
  }

  private static long multiplyHigh(long a, long b) {
    return Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a);
  }

  private static long avalanche(long word) {
    long mixed = (word ^ (word >>> 37)) * PRIME_MX1;
    return mixed ^ (mixed >>> 32);
  }

  /**
   * Returns the signature of a key: the low {@code bits} (0 to 32) bits of its hash's high word.
   */
  public static int signature(long high, int bits) {
    return (int) (high & ((1L << bits) - 1));
  }
}
