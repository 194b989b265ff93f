package io.bsdb.flink.storage;

import io.bsdb.table.Table;
import java.net.URI;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * Location of a table.
 *
 * @param path a local one, or a URI of one of Flink's file systems
 */
public record TableLocation(String path) {
  /** A scheme has two letters at least: a drive on Windows has one. */
  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

  /** Returns whether it is in the local file system, rather than in another one of Flink's. */
  public boolean isLocal() {
    return path.startsWith("file:") || !isUri(path);
  }

  /** Returns whether a text is a URI rather than a path. */
  public static boolean isUri(String text) {
    return SCHEME.matcher(text).matches();
  }

  /**
   * Returns the directory of a local table.
   *
   * @throws IllegalArgumentException if the path does not name one
   */
  public Path directory() {
    if (!isLocal()) {
      throw new IllegalArgumentException("not a local path");
    }
    Path directory = path.startsWith("file:") ? Path.of(URI.create(path)) : Path.of(path);
    return directory.toAbsolutePath().normalize();
  }

  /**
   * Returns the table itself, wherever it lies.
   *
   * @throws IllegalArgumentException if the path cannot be one
   */
  public Table table() {
    return isLocal() ? Table.at(directory()) : Table.of(new FileSystemStorage(path));
  }
}
