package io.bsdb.compact;

import io.bsdb.format.Internal;
import io.bsdb.format.io.IOFunction;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.LocalCopies;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Where versions of a table are opened to be folded and merged: in place, or as verified copies.
 * Used by one thread. Closing it releases all copies.
 *
 * @hidden
 */
@Internal
public interface Workplace extends Closeable {
  /** Returns the manifest of the version in service; null if there is none. */
  @Nullable Manifest inService() throws IOException;

  /**
   * Opens a version for some work: its changes, and at least some of its partitions.
   *
   * @param partitions the ids of their files
   */
  default <T> T open(Manifest manifest, Set<UUID> partitions, IOFunction<SnapshotReader, T> work)
      throws IOException {
    List<PartitionFile> files = manifest.partitions();
    try (SnapshotReader version =
        open(manifest, partition -> partitions.contains(files.get(partition).fileId()))) {
      return work.apply(version);
    }
  }

  /**
   * Opens some partitions, by number, and the changes that a manifest names, which need not be
   * published yet.
   */
  SnapshotReader open(Manifest manifest, IntPredicate partitions) throws IOException;

  /** Opens the changes that a manifest names, and no partition. */
  default SnapshotReader changes(Manifest manifest) throws IOException {
    return open(manifest, partition -> false);
  }

  /** Returns a local directory, for what is written until new files are complete. */
  Path directory() throws IOException;

  @Override
  default void close() throws IOException {}

  /** Returns the directory of a table on a local disk. */
  static Workplace in(Path directory, Table table) {
    return new Workplace() {
      @Override
      public @Nullable Manifest inService() throws IOException {
        return manifest(table);
      }

      @Override
      public SnapshotReader open(Manifest manifest, IntPredicate partitions) throws IOException {
        return SnapshotReader.openVersion(
            directory, manifest, ReaderOptions.defaults(), partitions);
      }

      @Override
      public Path directory() {
        return directory;
      }
    };
  }

  /**
   * Returns a place for copies of a table that lies elsewhere.
   *
   * @param temporary an empty local directory
   * @param owner of the directory, closed when the copies are given up
   */
  static Workplace copies(Table table, Path temporary, Closeable owner) {
    LocalCopies copies = new LocalCopies(table, temporary, Long.MAX_VALUE);
    return new Workplace() {
      @Override
      public @Nullable Manifest inService() throws IOException {
        return manifest(table);
      }

      @Override
      public SnapshotReader open(Manifest manifest, IntPredicate partitions) throws IOException {
        return copies.open(manifest, partitions);
      }

      @Override
      public Path directory() {
        return temporary;
      }

      @Override
      public void close() throws IOException {
        copies.release();
        owner.close();
      }
    };
  }

  private static @Nullable Manifest manifest(Table table) throws IOException {
    String version = table.currentVersion();
    return version == null ? null : table.manifest(version);
  }
}
