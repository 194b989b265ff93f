package io.bsdb.benchmarks.micro;

import java.util.SplittableRandom;

/** Stand-ins for the 128-bit hashes of distinct keys: uniform, and the same on every run. */
final class KeyHashes {

  private final long[] high;
  private final long[] low;

  private KeyHashes(long[] high, long[] low) {
    this.high = high;
    this.low = low;
  }

  static KeyHashes random(int count) {
    SplittableRandom random = new SplittableRandom(1);
    return new KeyHashes(random.longs(count).toArray(), random.longs(count).toArray());
  }

  long[] high() {
    return high;
  }

  long[] low() {
    return low;
  }
}
