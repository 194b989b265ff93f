package io.bsdb.reader.follow;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which versions the readers of this process use, of the copies in a directory: of one table, there
 * may be readers of several versions. Safe for many threads.
 */
final class CopiesInUse {
  private static final Map<Path, Map<LocalCopies, String>> DIRECTORIES = new HashMap<>();

  private CopiesInUse() {}

  /** A reader uses this version from now on, and none that it used before. */
  static synchronized void use(Path directory, LocalCopies reader, String version) {
    DIRECTORIES.computeIfAbsent(directory, absent -> new HashMap<>()).put(reader, version);
  }

  /** A reader uses none any more. */
  static synchronized void release(Path directory, LocalCopies reader) {
    DIRECTORIES.computeIfPresent(
        directory,
        (path, readers) -> {
          readers.remove(reader);
          return readers.isEmpty() ? null : readers;
        });
  }

  static synchronized Set<String> versions(Path directory) {
    return DIRECTORIES.getOrDefault(directory, Map.of()).values().stream()
        .collect(Collectors.toSet());
  }
}
