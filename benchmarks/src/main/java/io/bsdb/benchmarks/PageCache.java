package io.bsdb.benchmarks;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;

/** What of files is in the page cache. */
final class PageCache {
  private static final long PIECE = 1 << 20;

  private PageCache() {}

  static Path largestFile(Path directory) throws IOException {
    return Directories.files(directory).stream()
        .max((a, b) -> Long.compare(a.toFile().length(), b.toFile().length()))
        .orElseThrow();
  }

  /** Reads all files, which brings them into the page cache if it has room. */
  static void warm(Path directory) throws IOException {
    byte[] buffer = new byte[(int) PIECE];
    for (Path file : Directories.files(directory)) {
      try (var in = Files.newInputStream(file)) {
        while (in.read(buffer) >= 0) {
          Thread.onSpinWait();
        }
      }
    }
  }

  /** Says how much of the files the kernel has in memory, by the MiB. */
  static String state(Collection<Path> directories) throws IOException {
    long bytes = 0;
    long present = 0;
    for (Path directory : directories) {
      for (Path file : Directories.files(directory)) {
        try (FileChannel channel = FileChannel.open(file)) {
          long length = channel.size();
          bytes += length;
          for (long start = 0; start < length; start += PIECE) {
            long size = Math.min(PIECE, length - start);
            MappedByteBuffer piece = channel.map(FileChannel.MapMode.READ_ONLY, start, size);
            present += piece.isLoaded() ? size : 0;
          }
        }
      }
    }
    return "warm: every file was read before; at the end %.1f %% of %,d MiB were there, as the kernel says"
        .formatted(100.0 * present / Math.max(1, bytes), bytes >> 20);
  }
}
