package io.bsdb.benchmarks.harness;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** The files below a directory, on disk and in the page cache. */
public final class Directories {
  private static final long PIECE = 1 << 20;

  private Directories() {}

  public static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  /** Returns how much of the files the kernel has in memory, by the MiB. */
  public static String pageCache(Collection<Path> directories) throws IOException {
    long bytes = 0;
    long present = 0;
    for (Path directory : directories) {
      for (Path file : files(directory)) {
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
    return "page cache warm: every file was read before, and %.1f %% of %,d MiB were there at the end"
        .formatted(100.0 * present / Math.max(1, bytes), bytes >> 20);
  }
}
