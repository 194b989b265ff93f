package io.bsdb.benchmarks;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Workload;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Random reads of single bytes of mapped files that are in the page cache, in nanoseconds each. No
 * store that keeps its records in mapped files can answer in less than one such read.
 */
final class MemoryLimit {
  static final String ONE_READ = "memory read";
  static final String MANY_AT_ONCE = "many at once";

  private static final int UNTIMED = 2;
  private static final int READS = 1 << 18;
  private static final int PAGE = 4096;
  private static final int MAXIMUM_PIECE = 64 << 20;

  private final MappedByteBuffer[] pieces;
  private final int pieceBytes;

  private MemoryLimit(MappedByteBuffer[] pieces, int pieceBytes) {
    this.pieces = pieces;
    this.pieceBytes = pieceBytes;
  }

  /**
   * Measures over all files of a directory, in pieces of one size but for the rest of each file.
   */
  static Row measure(Path directory, int rounds) throws IOException {
    List<Path> files = Directories.files(directory);
    long largest = files.stream().mapToLong(file -> file.toFile().length()).max().orElseThrow();
    int pieceBytes = (int) Math.min(MAXIMUM_PIECE, Long.highestOneBit(largest));
    List<MappedByteBuffer> pieces = new ArrayList<>();
    for (Path file : files) {
      try (FileChannel channel = FileChannel.open(file)) {
        for (long at = 0; at + pieceBytes <= channel.size(); at += pieceBytes) {
          pieces.add(channel.map(FileChannel.MapMode.READ_ONLY, at, pieceBytes));
        }
      }
    }
    Row row = new Row("memory", "");
    new MemoryLimit(pieces.toArray(MappedByteBuffer[]::new), pieceBytes).measure(rounds, row);
    return row;
  }

  private void measure(int rounds, Row row) {
    long checksum = touchPages();
    for (int round = -UNTIMED; round < rounds; round++) {
      long start = System.nanoTime();
      checksum = oneAfterTheOther(checksum);
      long middle = System.nanoTime();
      checksum += manyAtOnce(checksum);
      long end = System.nanoTime();
      if (round >= 0) {
        row.add(ONE_READ, (double) (middle - start) / READS);
        row.add(MANY_AT_ONCE, (double) (end - middle) / READS);
      }
    }
    // Printed, so that the compiler cannot drop the loops.
    Progress.step("memory was read, checksum %x", checksum);
  }

  private long touchPages() {
    long sum = 0;
    for (MappedByteBuffer piece : pieces) {
      for (int offset = 0; offset < pieceBytes; offset += PAGE) {
        sum += piece.get(offset);
      }
    }
    return sum;
  }

  private byte read(long random) {
    int piece = (int) (((random & 0xFFFF_FFFFL) * pieces.length) >>> 32);
    return pieces[piece].get((int) (((random >>> 32) * pieceBytes) >>> 32));
  }

  /** Reads at offsets that each depend on the value read before. */
  private long oneAfterTheOther(long first) {
    long last = first;
    for (int i = 0; i < READS; i++) {
      last = Workload.mix(last + 1 + read(last));
    }
    return last;
  }

  /** Reads at offsets that are known in advance. */
  private long manyAtOnce(long first) {
    long sum = 0;
    for (int i = 0; i < READS; i++) {
      sum += read(Workload.mix(first + i));
    }
    return sum;
  }
}
