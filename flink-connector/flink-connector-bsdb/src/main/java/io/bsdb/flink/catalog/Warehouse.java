package io.bsdb.flink.catalog;

import io.bsdb.flink.storage.TableLocation;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.Table;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem.WriteMode;
import org.apache.flink.core.fs.Path;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectPath;

/**
 * The directory of the databases: the directories in it are databases, the directories in these are
 * tables. Safe for use by many threads.
 */
record Warehouse(Path root) {
  /**
   * Stands for an empty directory where there are none: some plugins for S3 say that they have
   * created a directory, and create nothing.
   */
  private static final String MARKER = ".bsdb";

  /** Returns the warehouse at a local path, or in one of Flink's file systems. */
  static Warehouse at(String location) {
    TableLocation place = new TableLocation(location);
    return new Warehouse(
        place.isLocal()
            ? Path.fromLocalFile(new File(place.directory().toString()))
            : new Path(location));
  }

  private Path path(String... names) {
    Path path = root;
    for (String name : names) {
      path = new Path(path, name);
    }
    return path;
  }

  /**
   * Returns whether there is a directory of these names, one in the other; without names, the root.
   */
  boolean isDirectory(String... names) throws IOException {
    Path path = path(names);
    try {
      return path.getFileSystem().getFileStatus(path).isDir();
    } catch (FileNotFoundException e) {
      return false;
    }
  }

  /**
   * Creates the directory, and those above it, unless it is there.
   *
   * @throws ValidationException if it cannot be a warehouse
   */
  void create() {
    String option = "'%s' = '%s'".formatted(SnapshotCatalogFactory.WAREHOUSE.key(), this);
    try {
      if (root.getFileSystem().exists(root) && !isDirectory()) {
        throw new ValidationException("%s is a file; expected a directory".formatted(option));
      }
      if (root.getFileSystem().exists(new Path(root, SnapshotFormat.CURRENT_FILE))) {
        throw new ValidationException(
            "%s is the directory of a table; a warehouse holds databases, and these hold tables: leave out the last two names of the path, or declare this table with 'connector' = 'bsdb'"
                .formatted(option));
      }
      if (!isDirectory()) {
        createDirectory();
      }
    } catch (IOException e) {
      throw new ValidationException(
          "%s is no directory that could be read or created: %s".formatted(option, e), e);
    }
  }

  /**
   * Returns the directories in a directory whose names can be those of databases and tables,
   * sorted.
   */
  List<String> directories(String... names) throws IOException {
    return entries(path(names)).stream()
        .filter(FileStatus::isDir)
        .map(entry -> entry.getPath().getName())
        .filter(TableName::isPlain)
        .sorted()
        .toList();
  }

  boolean isEmpty(String... names) throws IOException {
    return entries(path(names)).isEmpty();
  }

  private static List<FileStatus> entries(Path directory) throws IOException {
    try {
      FileStatus[] entries = directory.getFileSystem().listStatus(directory);
      return entries == null
          ? List.of()
          : Arrays.stream(entries)
              .filter(entry -> !entry.getPath().getName().equals(MARKER))
              .toList();
    } catch (FileNotFoundException e) {
      return List.of();
    }
  }

  void createDirectory(String... names) throws IOException {
    Path path = path(names);
    if (!path.getFileSystem().mkdirs(path)) {
      throw new IOException("directory cannot be created: " + path);
    }
    if (!isDirectory(names)) {
      try (var marker = path.getFileSystem().create(new Path(path, MARKER), WriteMode.OVERWRITE)) {
        marker.write('\n'); // an empty object may be taken for a directory
      }
    }
    if (!isDirectory(names)) {
      throw new IOException("directory was created, but is not there: " + path);
    }
  }

  /** Deletes an empty directory, unless it is gone: object stores forget empty ones. */
  void deleteDirectory(String... names) throws IOException {
    Path path = path(names);
    path.getFileSystem().delete(new Path(path, MARKER), false);
    if (isDirectory(names) && !path.getFileSystem().delete(path, false) && isDirectory(names)) {
      throw new IOException("directory cannot be deleted: " + path);
    }
  }

  /** Returns where a table lies: a local path, or a URI. */
  TableLocation location(ObjectPath table) {
    return new TableLocation(text(path(table.getDatabaseName(), table.getObjectName())));
  }

  private static String text(Path path) {
    return path.toUri().getScheme().equals("file") ? path.toUri().getPath() : path.toString();
  }

  Table table(ObjectPath table) {
    return location(table).table();
  }

  @Override
  public String toString() {
    return text(root);
  }
}
