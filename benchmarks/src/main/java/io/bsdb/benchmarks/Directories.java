package io.bsdb.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** What is below a directory. */
public final class Directories {
  private Directories() {}

  static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  /** Bytes of all files. */
  public static long size(Path directory) throws IOException {
    long bytes = 0;
    for (Path file : files(directory)) {
      bytes += Files.size(file);
    }
    return bytes;
  }

  /** Deletes all, the directory as well, if there is one. */
  public static void delete(Path directory) throws IOException {
    if (Files.exists(directory)) {
      try (Stream<Path> paths = Files.walk(directory)) {
        for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }
}
