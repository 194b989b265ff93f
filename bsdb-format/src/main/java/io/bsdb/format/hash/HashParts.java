package io.bsdb.format.hash;

import java.io.InterruptedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The mixed 64-bit hashes of all keys, grouped by part; within a part in the order of the input.
 */
final class HashParts {

  /**
   * Keys of an average part: half a megabyte of hashes, and a wide margin below the 16-bit limit.
   */
  private static final int KEYS_PER_PART = 60_000;

  private final long[] high;
  private final long[] low;
  private final int size;
  private final long seed;
  private final long[] hashes;
  private final int[] starts;

  private HashParts(long[] high, long[] low, int size, long seed, long[] hashes, int[] starts) {
    this.high = high;
    this.low = low;
    this.size = size;
    this.seed = seed;
    this.hashes = hashes;
    this.starts = starts;
  }

  /** Groups the first {@code size} keys: a stable counting sort, 8 bytes per key. */
  static HashParts group(long[] high, long[] low, int size, long seed) {
    int partCount = (size + KEYS_PER_PART - 1) / KEYS_PER_PART;
    int[] starts = new int[partCount + 1];
    for (int i = 0; i < size; i++) {
      starts[PilotFormat.part(PilotFormat.mix(high[i], low[i], seed), partCount) + 1]++;
    }
    for (int part = 0; part < partCount; part++) {
      starts[part + 1] += starts[part];
    }
    int[] next = starts.clone();
    long[] hashes = new long[size];
    for (int i = 0; i < size; i++) {
      long hash = PilotFormat.mix(high[i], low[i], seed);
      hashes[next[PilotFormat.part(hash, partCount)]++] = hash;
    }
    return new HashParts(high, low, size, seed, hashes, starts);
  }

  long seed() {
    return seed;
  }

  int partCount() {
    return starts.length - 1;
  }

  /** Returns the array; each part has a range of it. */
  long[] hashes() {
    return hashes;
  }

  /**
   * Returns where a part starts in {@link #hashes}; that of the part after the last is the number
   * of keys.
   */
  int start(int part) {
    return starts[part];
  }

  int largestPart() {
    int largest = 0;
    for (int part = 0; part < partCount(); part++) {
      largest = Math.max(largest, starts[part + 1] - starts[part]);
    }
    return largest;
  }

  int smallestPart() {
    int smallest = size;
    for (int part = 0; part < partCount(); part++) {
      smallest = Math.min(smallest, starts[part + 1] - starts[part]);
    }
    return smallest;
  }

  /**
   * Throws if two inputs have equal 128-bit hashes. Two that only meet in 64 bits under this seed
   * are no duplicates. Sorts the parts' hashes.
   */
  void rejectDuplicates() throws DuplicateHashException, InterruptedIOException {
    long[][] repeated = new long[partCount()][];
    for (int part = 0; part < partCount(); part++) {
      requireNotInterrupted();
      repeated[part] = repeatedHashes(part);
    }
    long[] all = Arrays.stream(repeated).flatMapToLong(Arrays::stream).sorted().toArray();
    if (all.length == 0) {
      return;
    }
    Map<Words, Integer> seen = new HashMap<>();
    for (int i = 0; i < size; i++) {
      if (Arrays.binarySearch(all, PilotFormat.mix(high[i], low[i], seed)) >= 0) {
        Integer first = seen.putIfAbsent(new Words(high[i], low[i]), i);
        if (first != null) {
          throw new DuplicateHashException(first, i);
        }
      }
    }
  }

  static void requireNotInterrupted() throws InterruptedIOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted while building a perfect hash");
    }
  }

  private long[] repeatedHashes(int part) {
    int from = starts[part];
    int to = starts[part + 1];
    Arrays.sort(hashes, from, to);
    long[] repeated = {};
    int count = 0;
    for (int i = from + 1; i < to; i++) {
      if (hashes[i] == hashes[i - 1] && (count == 0 || repeated[count - 1] != hashes[i])) {
        if (count == repeated.length) {
          repeated = Arrays.copyOf(repeated, Math.max(16, 2 * count));
        }
        repeated[count++] = hashes[i];
      }
    }
    return Arrays.copyOf(repeated, count);
  }

  private record Words(long high, long low) {}
}
