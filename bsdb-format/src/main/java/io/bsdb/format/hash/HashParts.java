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
  static HashParts group(long[] high, long[] low, int size, long seed, Workers workers)
      throws InterruptedIOException {
    int partCount = (size + KEYS_PER_PART - 1) / KEYS_PER_PART;
    int chunks = Math.min(workers.parallelism(), partCount);
    int[][] positions = new int[chunks][partCount];
    workers.run(
        chunks,
        () ->
            chunk -> {
              int[] counts = positions[chunk];
              int to = chunkStart(chunk + 1, chunks, size);
              for (int i = chunkStart(chunk, chunks, size); i < to; i++) {
                counts[PilotFormat.part(PilotFormat.mix(high[i], low[i], seed), partCount)]++;
              }
            });
    int[] starts = new int[partCount + 1];
    int position = 0;
    for (int part = 0; part < partCount; part++) {
      starts[part] = position;
      for (int[] counts : positions) {
        int count = counts[part];
        counts[part] = position;
        position += count;
      }
    }
    starts[partCount] = position;
    long[] hashes = new long[size];
    workers.run(
        chunks,
        () ->
            chunk -> {
              int[] next = positions[chunk];
              int to = chunkStart(chunk + 1, chunks, size);
              for (int i = chunkStart(chunk, chunks, size); i < to; i++) {
                long hash = PilotFormat.mix(high[i], low[i], seed);
                hashes[next[PilotFormat.part(hash, partCount)]++] = hash;
              }
            });
    return new HashParts(high, low, size, seed, hashes, starts);
  }

  private static int chunkStart(int chunk, int chunks, int size) {
    return (int) ((long) size * chunk / chunks);
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
  void rejectDuplicates(Workers workers) throws DuplicateHashException, InterruptedIOException {
    long[][] repeated = new long[partCount()][];
    workers.run(partCount(), () -> part -> repeated[part] = repeatedHashes(part));
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
