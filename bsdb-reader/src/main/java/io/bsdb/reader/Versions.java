package io.bsdb.reader;

import io.bsdb.format.Manifest;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.table.Table;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The versions of a table, and how to open one. */
interface Versions {
  /** The version in service, or null if nothing has been published. */
  @Nullable String current() throws IOException;

  /** Whether a version has been published and not been deleted. */
  boolean contains(String version) throws IOException;

  Manifest manifest(String version) throws IOException;

  /**
   * Opens a version.
   *
   * @param inUse the version that is to stay readable meanwhile; null if none is
   */
  SnapshotReader open(String version, @Nullable String inUse, ReaderOptions options)
      throws IOException;

  /**
   * The version in service when a reader is opened.
   *
   * @param poll how often to look if it is to wait; once a second if that is more often, or if zero
   * @return null if there is none, and that is no error
   */
  default @Nullable String first(InitialLoad initialLoad, Duration poll) throws IOException {
    String version = current();
    if (version == null && initialLoad == InitialLoad.REQUIRE) {
      throw missing();
    }
    while (version == null && initialLoad == InitialLoad.WAIT) {
      try {
        Thread.sleep(poll.isZero() ? 1000 : Math.min(1000, Math.max(1, poll.toMillis())));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        InterruptedIOException interrupted =
            new InterruptedIOException("interrupted while waiting for a first version of " + this);
        interrupted.initCause(e);
        throw interrupted;
      }
      version = current();
    }
    return version;
  }

  /** The error of a table without a version in service. */
  IOException missing();

  /** Those of a table directory on a local disk, opened where they are. */
  static Versions at(Path path) {
    Table table = Table.at(path);
    return new Versions() {
      @Override
      public @Nullable String current() throws IOException {
        return table.currentVersion();
      }

      @Override
      public boolean contains(String version) throws IOException {
        return table.contains(version);
      }

      @Override
      public Manifest manifest(String version) throws IOException {
        return table.manifest(version);
      }

      @Override
      public SnapshotReader open(String version, @Nullable String inUse, ReaderOptions options)
          throws IOException {
        requireLocal();
        return new PartitionedReader(OpenSnapshot.openVersion(path, version, options));
      }

      private void requireLocal() throws IOException {
        if (path.getFileSystem() != FileSystems.getDefault()) {
          throw new IOException(
              "not on a local disk, where it could be read in place: path=%s; give a local directory for copies"
                  .formatted(path.toUri()));
        }
      }

      @Override
      public IOException missing() {
        return Files.isDirectory(path)
            ? nothingPublished(path.resolve(SnapshotFormat.CURRENT_FILE).toString())
            : new NoSuchFileException(
                path.toString(),
                null,
                "no such table directory; check the path, or build the table first");
      }

      @Override
      public String toString() {
        return path.toString();
      }
    };
  }

  /** Says that a table has no version in service. */
  static NoSuchFileException nothingPublished(String file) {
    return new NoSuchFileException(
        file, null, "no snapshot has been published here; build one, or check the path");
  }
}
