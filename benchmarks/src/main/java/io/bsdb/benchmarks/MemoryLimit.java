package io.bsdb.benchmarks;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.reader.io.Closing;
import io.bsdb.reader.io.FileMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Random reads of single bytes of mapped files that are in the page cache, at offsets that each
 * depend on the value read before. No store that keeps its records in mapped files can answer in
 * less than one such read.
 */
final class MemoryLimit {
  private static final int UNTIMED = 3;
  private static final int READS = 1 << 18;

  private MemoryLimit() {}

  /** Measures over the large files of a directory; returns nanoseconds per read, of each round. */
  static double[] measure(Path directory, int rounds) throws IOException {
    List<Path> all = Directories.files(directory);
    long largest = all.stream().mapToLong(file -> file.toFile().length()).max().orElseThrow();
    List<FileMemory> files = new ArrayList<>();
    try {
      for (Path file : all) {
        if (file.toFile().length() > largest / 2) {
          files.add(FileMemory.map(file));
        }
      }
      double[] nanos = new double[rounds];
      long last = 0;
      for (int round = -UNTIMED; round < rounds; round++) {
        long start = System.nanoTime();
        for (int i = 0; i < READS; i++) {
          last = Workload.mix(last + 1 + read(files, last));
        }
        if (round >= 0) {
          nanos[round] = (System.nanoTime() - start) / (double) READS;
        }
      }
      // Printed, so that the compiler cannot drop the loops.
      Progress.step("memory was read, checksum %x", last);
      return nanos;
    } finally {
      Closing.all(files);
    }
  }

  private static byte read(List<FileMemory> files, long random) {
    FileMemory file = files.get((int) (((random & 0xFFFF_FFFFL) * files.size()) >>> 32));
    long offset = Math.multiplyHigh(random >>> 1, 2 * file.length());
    return file.chunk(offset).get(FileMemory.index(offset));
  }
}
