package io.bsdb.reader.follow;

import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.storage.PathStorage;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Versions of a table directory on a local disk, opened where they are. */
final class InPlace extends VersionSource {
  private final Path directory;

  InPlace(Path directory) {
    super(Table.at(directory));
    this.directory = directory;
  }

  @Override
  String requireCurrent(@Nullable String inUse) throws IOException {
    PathStorage.requireDirectory(directory);
    return super.requireCurrent(inUse);
  }

  @Override
  SnapshotReader open(Manifest manifest, ReaderOptions options, @Nullable SnapshotReader previous)
      throws IOException {
    if (directory.getFileSystem() != FileSystems.getDefault()) {
      throw new IOException(
          "not on a local disk, where it could be read in place: path=%s; give a local directory for copies"
              .formatted(directory.toUri()));
    }
    return previous == null
        ? SnapshotReader.openVersion(directory, manifest, options, partition -> true)
        : previous.next(directory, manifest, options);
  }
}
