package io.bsdb.table;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.storage.TableStorage;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/** Reads manifests, and makes sure that those to be written can be read. */
final class ManifestFile {
  private ManifestFile() {}

  /**
   * Reads a manifest.
   *
   * @param directory of the snapshot; empty for that of the storage itself
   * @param version which is expected; null if any
   * @throws NoSuchFileException if there is none
   */
  static Manifest read(TableStorage storage, String directory, @Nullable String version)
      throws IOException {
    String path = (directory.isEmpty() ? "" : directory + "/") + SnapshotFormat.MANIFEST_FILE;
    String file = storage + "/" + path;
    byte[] bytes;
    try {
      bytes = storage.read(path, Manifest.MAX_LENGTH);
    } catch (NoSuchFileException e) {
      NoSuchFileException missing =
          new NoSuchFileException(
              file,
              null,
              "the snapshot was never completed or has been deleted; see 'bsdb versions'");
      missing.initCause(e);
      throw missing;
    }
    return decode(bytes, file, version);
  }

  private static Manifest decode(byte[] bytes, String file, @Nullable String version)
      throws IOException {
    Manifest manifest = Manifest.decode(bytes, file);
    if (version != null && !manifest.version().equals(version)) {
      throw new CorruptSnapshotException(
          "manifest belongs to another version: file=%s expected=%s actual=%s"
              .formatted(file, version, manifest.version()));
    }
    return manifest;
  }

  /**
   * Returns the manifest of a build, as it is to be written.
   *
   * @throws IllegalArgumentException if a reader would refuse it or take it for something else
   */
  static byte[] encode(TableStorage storage, Build build, Manifest manifest) throws IOException {
    String file = storage + "/" + build.directory() + "/" + SnapshotFormat.MANIFEST_FILE;
    byte[] encoded = manifest.encode();
    try {
      if (!decode(encoded, file, build.version()).equals(manifest)) {
        throw new CorruptSnapshotException(
            "some text would come back changed, perhaps one with half a surrogate pair: file="
                + file);
      }
      return encoded;
    } catch (CorruptSnapshotException e) {
      throw new IllegalArgumentException(
          "no reader could read this version, so it was not published: " + e.getMessage(), e);
    }
  }
}
