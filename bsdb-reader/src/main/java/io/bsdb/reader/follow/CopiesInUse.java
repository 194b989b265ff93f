package io.bsdb.reader.follow;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The copies in a directory that readers of this process use: of one table, there may be readers of
 * several versions. Safe for many threads.
 */
final class CopiesInUse {
  private static final Map<Path, Map<LocalCopies, Set<String>>> DIRECTORIES = new HashMap<>();

  private CopiesInUse() {}

  /** Notes the files that a reader uses from now on, and that it uses no others. */
  static synchronized void use(Path directory, LocalCopies reader, Set<String> files) {
    DIRECTORIES.computeIfAbsent(directory, absent -> new HashMap<>()).put(reader, files);
  }

  /** Notes that a reader uses no files any more. */
  static synchronized void release(Path directory, LocalCopies reader) {
    DIRECTORIES.computeIfPresent(
        directory,
        (path, readers) -> {
          readers.remove(reader);
          return readers.isEmpty() ? null : readers;
        });
  }

  static synchronized Set<String> files(Path directory) {
    return DIRECTORIES.getOrDefault(directory, Map.of()).values().stream()
        .flatMap(Set::stream)
        .collect(Collectors.toSet());
  }
}
