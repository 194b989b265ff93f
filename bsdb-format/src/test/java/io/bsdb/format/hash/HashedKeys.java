package io.bsdb.format.hash;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import java.util.SplittableRandom;
import java.util.function.IntFunction;

/** Keys of a test: their 128-bit hashes, as two arrays. */
final class HashedKeys {

  private final long[] high;
  private final long[] low;

  HashedKeys(long[] high, long[] low) {
    this.high = high;
    this.low = low;
  }

  static HashedKeys random(int size, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return new HashedKeys(random.longs(size).toArray(), random.longs(size).toArray());
  }

  /** Real hashes of given keys. */
  static HashedKeys of(int size, IntFunction<byte[]> key) {
    HashedKeys keys = new HashedKeys(new long[size], new long[size]);
    for (int i = 0; i < size; i++) {
      HashValue128 hash = Hashing.xxh3_128().hashBytesTo128Bits(key.apply(i));
      keys.high[i] = hash.getMostSignificantBits();
      keys.low[i] = hash.getLeastSignificantBits();
    }
    return keys;
  }

  /** The high words; a test may change them. */
  long[] high() {
    return high;
  }

  /** The low words; a test may change them. */
  long[] low() {
    return low;
  }

  int size() {
    return high.length;
  }
}
