package io.bsdb.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Files that this process has open; none where the system does not show them. */
public final class OpenFiles {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final Path MAPPINGS = Path.of("/proc/self/maps");

  private OpenFiles() {}

  /** Returns what the descriptors of this process stand for. */
  public static List<String> descriptors() throws IOException {
    List<String> open = new ArrayList<>();
    if (Files.exists(DESCRIPTORS)) {
      try (Stream<Path> all = Files.list(DESCRIPTORS)) {
        for (Path descriptor : (Iterable<Path>) all::iterator) {
          try {
            open.add(Files.readSymbolicLink(descriptor).toString());
          } catch (NoSuchFileException closedMeanwhile) {
            // it was the descriptor of the listing itself
          }
        }
      }
    }
    return open;
  }

  /** Returns the lines about what is mapped into this process. */
  public static List<String> mappings() throws IOException {
    return Files.exists(MAPPINGS) ? Files.readString(MAPPINGS).lines().toList() : List.of();
  }
}
