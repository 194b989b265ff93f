package io.bsdb.table.storage;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** A file, or a directory with all that is in it, but nothing that a symbolic link leads to. */
public final class DirectoryTree {
  private DirectoryTree() {}

  /** Returns when anything in it was last changed; the distant past if there is nothing. */
  static Instant lastModified(Path top) throws IOException {
    Instant latest = Instant.MIN;
    for (Path entry : entries(top)) {
      try {
        Instant modified = Files.getLastModifiedTime(entry, LinkOption.NOFOLLOW_LINKS).toInstant();
        latest = modified.isAfter(latest) ? modified : latest;
      } catch (NoSuchFileException goneMeanwhile) {
        latest = Instant.now();
      }
    }
    return latest;
  }

  /**
   * Returns the length of all files in it, each once, however many names it has; files may be
   * deleted meanwhile.
   */
  public static long length(Path top) throws IOException {
    Set<Object> counted = new HashSet<>();
    long[] total = {0};
    Files.walkFileTree(
        top,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            Object key = attributes.fileKey();
            if (key == null || counted.add(key)) {
              total[0] += attributes.size();
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException deleted) {
            return FileVisitResult.CONTINUE;
          }
        });
    return total[0];
  }

  /** Deletes a file, or a directory with all that is in it, if there is one. */
  public static void delete(Path top) throws IOException {
    delete(top, "");
  }

  /**
   * Deletes what is at {@code path} below {@code root}; the root itself if the path is empty.
   *
   * @throws IOException also if one of the directories in between is a symbolic link: what it leads
   *     to may be somebody else's
   */
  static void delete(Path root, String path) throws IOException {
    Path top = root.resolve(path);
    List<Path> entries = entries(top);
    if (entries.isEmpty()) {
      return;
    }
    for (Path directory = top.getParent();
        directory != null && directory.startsWith(root) && !directory.equals(root);
        directory = directory.getParent()) {
      if (Files.isSymbolicLink(directory)) {
        throw new IOException(
            "not deleted, for it is reached through a symbolic link: file=%s link=%s; delete it yourself, or make the whole table directory the link"
                .formatted(top, directory));
      }
    }
    for (Path entry : entries) {
      try {
        Files.deleteIfExists(entry);
      } catch (IOException e) {
        throw NamedFile.failure("file cannot be deleted", entry, e);
      }
    }
  }

  /** Returns the entries, deepest first. Others may delete meanwhile: then it is walked again. */
  private static List<Path> entries(Path top) throws IOException {
    while (Files.exists(top, LinkOption.NOFOLLOW_LINKS)) {
      try (Stream<Path> entries = Files.walk(top)) {
        return entries.sorted(Comparator.reverseOrder()).toList();
      } catch (NoSuchFileException goneMeanwhile) {
        // again
      } catch (IOException e) {
        throw NamedFile.failure("directory cannot be listed", top, e);
      } catch (UncheckedIOException e) {
        if (!(e.getCause() instanceof NoSuchFileException)) {
          throw NamedFile.failure(
              "directory cannot be listed", top, Objects.requireNonNull(e.getCause()));
        }
      }
    }
    return List.of();
  }
}
