package io.bsdb.cli.table;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.io.IOFunction;
import io.bsdb.reader.snapshot.SnapshotOpener;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.storage.PathStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the snapshot that a path means. */
public final class SnapshotDirectory {
  private SnapshotDirectory() {}

  /**
   * Returns the path itself if it is a snapshot, else that of the version in service of the table.
   */
  public static Path of(Path path) throws IOException {
    if (Files.exists(path.resolve(SnapshotFormat.MANIFEST_FILE))) {
      return path;
    }
    PathStorage.requireDirectory(path);
    return path.resolve(SnapshotFormat.SNAPSHOTS_DIRECTORY)
        .resolve(Table.at(path).requireCurrentVersion());
  }

  /**
   * Does some work on the directory of the snapshot that a path means. Of a table whose version in
   * service was replaced and deleted meanwhile, the work begins again on the one in service by
   * then.
   */
  public static <T> T read(Path path, IOFunction<Path, T> work) throws IOException {
    Path snapshot = of(path);
    return snapshot.equals(path)
        ? work.apply(path)
        : SnapshotOpener.openCurrent(
            Table.at(path), version -> work.apply(snapshot.resolveSibling(version)));
  }

  /** Returns where a partition file lies, which another version may have brought. */
  public static Path file(Path snapshot, PartitionFile file) {
    String version = file.version();
    return (version == null ? snapshot : snapshot.resolveSibling(version)).resolve(file.name());
  }

  /** Returns the manifest of a snapshot. */
  public static Manifest manifest(Path snapshot) throws IOException {
    Path file = snapshot.resolve(SnapshotFormat.MANIFEST_FILE);
    return Manifest.decode(Files.readAllBytes(file), file.toString());
  }
}
