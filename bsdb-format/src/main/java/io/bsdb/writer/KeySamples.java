package io.bsdb.writer;

import io.bsdb.format.Internal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Some keys of a build in key order, each for the records around it. Chooses from them where
 * partitions begin.
 *
 * @hidden
 */
@Internal
public final class KeySamples {
  private final List<Sample> samples = new ArrayList<>();
  private long total;

  /** Creates an empty sample. */
  public KeySamples() {}

  private static final class Sample {
    final byte[] key;
    final long cost;

    Sample(byte[] key, long cost) {
      this.key = key;
      this.cost = cost;
    }
  }

  /** Returns the memory that it takes to build records, with their bytes, in bytes. */
  public static long cost(long bytes, long records) {
    return bytes + ParallelBuild.BYTES_PER_RECORD * records;
  }

  /**
   * Adds a key.
   *
   * @param cost of the records that it stands for
   */
  public void add(byte[] key, long cost) {
    samples.add(new Sample(key, cost));
    total += cost;
  }

  /** Returns the cost of all. */
  long total() {
    return total;
  }

  /**
   * Chooses the first keys of all partitions but the first, so that all cost about the same.
   *
   * @param partitions maximum; there are fewer if there are fewer keys
   * @return ascending
   */
  public List<byte[]> splitters(int partitions) {
    samples.sort(Comparator.comparing(sample -> sample.key, Arrays::compareUnsigned));
    List<byte[]> splitters = new ArrayList<>();
    long before = 0;
    for (Sample sample : samples) {
      byte[] last = splitters.isEmpty() ? samples.get(0).key : splitters.get(splitters.size() - 1);
      double share = (double) before / total * partitions;
      if (share >= splitters.size() + 1
          && splitters.size() + 1 < partitions
          && Arrays.compareUnsigned(last, sample.key) < 0) {
        splitters.add(sample.key);
      }
      before += sample.cost;
    }
    return splitters;
  }
}
