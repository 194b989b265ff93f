package io.bsdb.live;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Copies and deletes directories of tables. */
final class ModelFiles {
  private ModelFiles() {}

  private static List<Path> list(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }

  /**
   * Copies a table that is written, as a kill would leave it: under its lock no version is
   * published or deleted, and the files of the log are copied in their order. What goes meanwhile
   * was no longer used, or gets another name.
   */
  static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    for (Path file : list(from)) {
      Path copy = to.resolve(file.getFileName());
      try {
        if (Files.isDirectory(file)) {
          copy(file, copy);
        } else {
          Files.copy(file, copy);
        }
      } catch (NoSuchFileException gone) {
        Files.deleteIfExists(copy);
      }
    }
  }
}
