package io.bsdb.benchmarks;

import io.bsdb.benchmarks.Results.Limit;
import io.bsdb.benchmarks.Results.Series;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the memory gives: random reads of single bytes of mapped files that are in the page cache.
 * No store that keeps its records in mapped files can answer in less than one such read.
 */
final class MemoryLimit {
  private static final int READS = 1 << 18;
  private static final int PAGE = 4096;

  private final MappedByteBuffer[] maps;
  private final long mapBytes;

  private MemoryLimit(MappedByteBuffer[] maps, long mapBytes) {
    this.maps = maps;
    this.mapBytes = mapBytes;
  }

  /** Measures over the files of a directory: of each as much as the shortest of the large has. */
  static Limit of(Path directory, int rounds) throws IOException {
    long most = Files.size(PageCache.largestFile(directory));
    List<Path> files = new ArrayList<>();
    long length = Math.min(most, Integer.MAX_VALUE);
    for (Path file : Directories.files(directory)) {
      if (Files.size(file) > most / 2) {
        files.add(file);
        length = Math.min(length, Files.size(file));
      }
    }
    MappedByteBuffer[] maps = new MappedByteBuffer[files.size()];
    for (int i = 0; i < maps.length; i++) {
      try (FileChannel channel = FileChannel.open(files.get(i))) {
        maps[i] = channel.map(FileChannel.MapMode.READ_ONLY, 0, length);
      }
    }
    return new MemoryLimit(maps, length).measure(rounds);
  }

  private Limit measure(int rounds) {
    long checksum = touchPages();
    double[] dependent = new double[rounds];
    double[] independent = new double[rounds];
    for (int round = -2; round < rounds; round++) {
      long start = System.nanoTime();
      checksum = oneAfterTheOther(checksum);
      long middle = System.nanoTime();
      checksum += manyAtOnce(checksum);
      long end = System.nanoTime();
      if (round >= 0) {
        dependent[round] = (double) (middle - start) / READS;
        independent[round] = (double) (end - middle) / READS;
      }
    }
    // What is said must have been read: the compiler cannot drop the loops.
    Progress.step("memory was read, checksum %x", checksum);
    return new Limit(mapBytes * maps.length, Series.of(dependent), Series.of(independent));
  }

  private long touchPages() {
    long sum = 0;
    for (MappedByteBuffer map : maps) {
      for (long place = 0; place < mapBytes; place += PAGE) {
        sum += map.get((int) place);
      }
    }
    return sum;
  }

  private byte read(long random) {
    MappedByteBuffer map = maps[(int) (((random & 0xFFFF_FFFFL) * maps.length) >>> 32)];
    return map.get((int) (((random >>> 32) * mapBytes) >>> 32));
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
