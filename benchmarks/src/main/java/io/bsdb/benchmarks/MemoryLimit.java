package io.bsdb.benchmarks;

import io.bsdb.benchmarks.Results.Limit;
import io.bsdb.benchmarks.Results.Series;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * What the memory gives: random reads of single bytes of a mapped file that is in the page cache.
 * No store that keeps its records in mapped files can answer in less than one such read.
 */
final class MemoryLimit {
  private static final int READS = 1 << 18;
  private static final int PAGE = 4096;

  private final MappedByteBuffer map;

  private MemoryLimit(MappedByteBuffer map) {
    this.map = map;
  }

  /** Measures over the first 2 GiB of a file, or all of a smaller one. */
  static Limit of(Path file, int rounds) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      long length = Math.min(channel.size(), Integer.MAX_VALUE);
      MemoryLimit memory = new MemoryLimit(channel.map(FileChannel.MapMode.READ_ONLY, 0, length));
      long checksum = memory.touchPages();
      double[] dependent = new double[rounds];
      double[] independent = new double[rounds];
      for (int round = -2; round < rounds; round++) {
        long start = System.nanoTime();
        checksum = memory.oneAfterTheOther(checksum);
        long middle = System.nanoTime();
        checksum += memory.manyAtOnce(checksum);
        long end = System.nanoTime();
        if (round >= 0) {
          dependent[round] = (double) (middle - start) / READS;
          independent[round] = (double) (end - middle) / READS;
        }
      }
      // What is said must have been read: the compiler cannot drop the loops.
      Progress.step("memory was read, checksum %x", checksum);
      return new Limit(length, Series.of(dependent), Series.of(independent));
    }
  }

  private long touchPages() {
    long sum = 0;
    for (long place = 0; place < map.capacity(); place += PAGE) {
      sum += map.get((int) place);
    }
    return sum;
  }

  private byte read(long random) {
    return map.get((int) (((random >>> 32) * map.capacity()) >>> 32));
  }

  /** Each place depends on what was read before. */
  private long oneAfterTheOther(long first) {
    long last = first;
    for (int i = 0; i < READS; i++) {
      last = Workload.mix(last + 1 + read(last));
    }
    return last;
  }

  /** No place depends on what was read. */
  private long manyAtOnce(long first) {
    long sum = 0;
    for (int i = 0; i < READS; i++) {
      sum += read(Workload.mix(first + i));
    }
    return sum;
  }
}
