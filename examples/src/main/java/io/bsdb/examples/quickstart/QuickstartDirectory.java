package io.bsdb.examples.quickstart;

import io.bsdb.table.storage.DirectoryTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Directory of a quickstart's files. */
record QuickstartDirectory(Path path) {
  private static final String MARKER = ".bsdb-quickstart";

  /** Files are deleted below the directory, so it has to be one that an earlier run made. */
  static QuickstartDirectory claim(Path directory) throws IOException {
    Path path = directory.toAbsolutePath().normalize();
    Files.createDirectories(path);
    Path marker = path.resolve(MARKER);
    if (!Files.exists(marker)) {
      try (Stream<Path> entries = Files.list(path)) {
        if (entries.findAny().isPresent()) {
          throw new IOException("the directory is not empty, and no quickstart made it: " + path);
        }
      }
      Files.createFile(marker);
    }
    return new QuickstartDirectory(path);
  }

  /** Returns a place in the directory. */
  Path resolve(String name) {
    return path.resolve(name);
  }

  /** Returns a place in the directory, at which there is nothing now. */
  Path cleared(String name) throws IOException {
    Path place = path.resolve(name);
    DirectoryTree.delete(place);
    return place;
  }
}
