package io.bsdb.reader;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.Manifest;
import io.bsdb.format.PartitionFile;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.reader.io.DirectFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Opens snapshots: finds the directory, reads the manifest, opens the partitions. */
final class SnapshotOpener {
  private SnapshotOpener() {}

  /** Opens a table's version in service, or a snapshot. */
  static OpenSnapshot open(Path path, ReaderOptions options) throws IOException {
    if (Files.exists(path.resolve(SnapshotFormat.MANIFEST_FILE))) {
      return openDirectory(path, options);
    }
    return openVersion(path, new InPlace(path).requireCurrent(), options);
  }

  /** Opens a version of a table. */
  static OpenSnapshot openVersion(Path table, String version, ReaderOptions options)
      throws IOException {
    Path directory = table.resolve(SnapshotFormat.SNAPSHOTS_DIRECTORY).resolve(version);
    Manifest manifest = readManifest(directory);
    if (!manifest.version().equals(version)) {
      throw new CorruptSnapshotException(
          "manifest belongs to another version: file=%s expected=%s actual=%s"
              .formatted(
                  directory.resolve(SnapshotFormat.MANIFEST_FILE), version, manifest.version()));
    }
    return openDirectory(directory, manifest, options, DirectFile::openChannel);
  }

  /** Opens a snapshot. */
  static OpenSnapshot openDirectory(Path directory, ReaderOptions options) throws IOException {
    return openDirectory(directory, readManifest(directory), options, DirectFile::openChannel);
  }

  /** Opens a snapshot, and its files for reads from disk as {@code channels} does. */
  static OpenSnapshot openDirectory(
      Path directory, Manifest manifest, ReaderOptions options, DirectFile.Opener channels)
      throws IOException {
    List<Partition> opened = new ArrayList<>();
    try {
      for (PartitionFile file : manifest.partitions()) {
        if (options.share().needs(file.partition(), manifest.partitions().size())) {
          opened.add(PartitionOpener.open(directory, file, manifest, options, channels));
        }
      }
      return new OpenSnapshot(directory, manifest, options, opened);
    } catch (IOException | RuntimeException | Error e) {
      try {
        OpenSnapshot.closeAll(opened);
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  static Manifest readManifest(Path directory) throws IOException {
    Path file = directory.resolve(SnapshotFormat.MANIFEST_FILE);
    if (!Files.exists(file)) {
      throw new NoSuchFileException(
          file.toString(),
          null,
          "the snapshot was never completed or has been deleted; see 'bsdb versions'");
    }
    if (Files.size(file) > Manifest.MAX_LENGTH) {
      throw new CorruptSnapshotException(
          "manifest too long: file=%s expected<=%d actual=%d"
              .formatted(file, Manifest.MAX_LENGTH, Files.size(file)));
    }
    return Manifest.decode(Files.readAllBytes(file), file.toString());
  }
}
