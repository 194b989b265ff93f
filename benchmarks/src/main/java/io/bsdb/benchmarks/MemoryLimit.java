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
  private static final int LARGEST_PIECE = 64 << 20;

  private final MappedByteBuffer[] pieces;
  private final int pieceBytes;

  private MemoryLimit(MappedByteBuffer[] pieces, int pieceBytes) {
    this.pieces = pieces;
    this.pieceBytes = pieceBytes;
  }

  /**
   * Measures over the files of a directory, all of them: in pieces of one size, but for what is
   * left of each file.
   */
  static Limit of(Path directory, int rounds) throws IOException {
    long most = Files.size(PageCache.largestFile(directory));
    int pieceBytes = (int) Math.min(LARGEST_PIECE, Long.highestOneBit(most));
    List<MappedByteBuffer> pieces = new ArrayList<>();
    for (Path file : Directories.files(directory)) {
      try (FileChannel channel = FileChannel.open(file)) {
        for (long at = 0; at + pieceBytes <= channel.size(); at += pieceBytes) {
          pieces.add(channel.map(FileChannel.MapMode.READ_ONLY, at, pieceBytes));
        }
      }
    }
    return new MemoryLimit(pieces.toArray(MappedByteBuffer[]::new), pieceBytes).measure(rounds);
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
    return new Limit(
        (long) pieceBytes * pieces.length, Series.of(dependent), Series.of(independent));
  }

  private long touchPages() {
    long sum = 0;
    for (MappedByteBuffer piece : pieces) {
      for (int place = 0; place < pieceBytes; place += PAGE) {
        sum += piece.get(place);
      }
    }
    return sum;
  }

  private byte read(long random) {
    int piece = (int) (((random & 0xFFFF_FFFFL) * pieces.length) >>> 32);
    return pieces[piece].get((int) (((random >>> 32) * pieceBytes) >>> 32));
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
