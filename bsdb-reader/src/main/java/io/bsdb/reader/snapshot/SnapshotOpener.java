package io.bsdb.reader.snapshot;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.io.Closing;
import io.bsdb.format.io.IOFunction;
import io.bsdb.format.io.Thrown;
import io.bsdb.reader.block.BlockFile;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.io.MappedFault;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.options.WarmUp;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.partition.PartitionOpener;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.Partitioning;
import io.bsdb.table.storage.PathStorage;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Opens snapshots: finds the directory, reads the manifest, opens the partitions, warms up. */
public final class SnapshotOpener {
  /** Blocks for which a file's length is looked at once. */
  private static final int WARMED_UP_TOGETHER = 64;

  private final Function<String, ? extends RuntimeException> closed;

  /**
   * @param closed makes what a call after close fails with, of what was closed
   */
  public SnapshotOpener(Function<String, ? extends RuntimeException> closed) {
    this.closed = closed;
  }

  /** Opens a table's version in service, or a snapshot. */
  public OpenSnapshot open(Path path, ReaderOptions options) throws IOException {
    if (Files.exists(path.resolve(SnapshotFormat.MANIFEST_FILE))) {
      return openDirectory(path, options);
    }
    PathStorage.requireDirectory(path);
    return openCurrent(Table.at(path), version -> openVersion(path, version, options));
  }

  /**
   * Opens the version in service. If its files are gone, it may have been replaced and deleted
   * meanwhile: opens the version that is in service by then.
   *
   * @throws NoSuchFileException if files of a version are missing that is still in service
   */
  public static <T> T openCurrent(Table table, IOFunction<String, T> opening) throws IOException {
    String version = table.requireCurrentVersion();
    while (true) {
      try {
        return opening.apply(version);
      } catch (NoSuchFileException e) {
        String current = table.requireCurrentVersion();
        if (current.equals(version)) {
          throw e;
        }
        version = current;
      }
    }
  }

  public OpenSnapshot openVersion(Path table, String version, ReaderOptions options)
      throws IOException {
    return openVersion(table, Table.at(table).manifest(version), options, partition -> true);
  }

  /**
   * Opens a version of a table.
   *
   * @param previous shares what both versions have; may be null
   */
  public OpenSnapshot openVersion(
      Path table, Manifest manifest, ReaderOptions options, @Nullable OpenSnapshot previous)
      throws IOException {
    return open(
        new SnapshotFiles(directory(table, manifest), false),
        manifest,
        options,
        DirectFile::openSource,
        previous);
  }

  /** Opens some partitions of a version of a table, by number. */
  public OpenSnapshot openVersion(
      Path table, Manifest manifest, ReaderOptions options, IntPredicate partitions)
      throws IOException {
    return open(
        new SnapshotFiles(directory(table, manifest), false, partitions),
        manifest,
        options,
        DirectFile::openSource,
        null);
  }

  private static Path directory(Path table, Manifest manifest) {
    return table.resolve(Table.directory(manifest.version()));
  }

  public OpenSnapshot openDirectory(Path directory, ReaderOptions options) throws IOException {
    return openDirectory(directory, Table.manifestIn(directory), options, DirectFile::openSource);
  }

  /** Opens a snapshot, and its files for reads from disk as {@code sources} does. */
  public OpenSnapshot openDirectory(
      Path directory, Manifest manifest, ReaderOptions options, DirectFile.Opener sources)
      throws IOException {
    return open(new SnapshotFiles(directory, false), manifest, options, sources, null);
  }

  /**
   * Opens a version.
   *
   * @param before shares what both versions have, if it has the same options; may be null
   */
  public OpenSnapshot open(
      SnapshotFiles files,
      Manifest manifest,
      ReaderOptions options,
      DirectFile.Opener sources,
      @Nullable OpenSnapshot before)
      throws IOException {
    OpenSnapshot previous =
        before != null && options.withWarmUp(before.options().warmUp()).equals(before.options())
            ? before
            : null;
    boolean shared =
        previous != null
            && previous.base().isOf(files, manifest, options)
            && previous.base().share();
    Base last = previous == null ? null : previous.base();
    Base base =
        shared && last != null ? last : Base.open(files, manifest, options, sources, last, closed);
    OpenSnapshot snapshot;
    try {
      Overlay overlay = openChanges(files, manifest, options, base, previous);
      snapshot = new OpenSnapshot(files, manifest, options, base, overlay, closed);
    } catch (IOException | RuntimeException | Error e) {
      Closing.after(e, base::release);
      throw e;
    }
    try {
      snapshot.findDeletedRuns(
          previous != null && follows(base, manifest, previous)
              ? previous.deletedRuns()
              : DeletedRuns.NONE);
      if (!shared && isWarmedUp(options, manifest.length())) {
        warmUp(snapshot);
      }
      return snapshot;
    } catch (IOException | RuntimeException | Error e) {
      Closing.after(e, snapshot);
      throw e;
    }
  }

  private static @Nullable Overlay openChanges(
      SnapshotFiles files,
      Manifest manifest,
      ReaderOptions options,
      Base base,
      @Nullable OpenSnapshot previous)
      throws IOException {
    if (!manifest.hasChanges()) {
      return null;
    }
    for (Partition partition : base.partitions()) {
      requireKeys(partition);
    }
    Partitioning partitioning = manifest.partitioning();
    boolean whole = options.share().count() == 1;
    long folded =
        manifest.partitions().stream().mapToLong(PartitionFile::foldedThrough).max().orElse(0);
    Overlay.Scope scope =
        (key, length, high, segment) -> {
          if (whole && segment > folded) {
            return true; // whichever partition it is
          }
          int number = partitioning.partition(key, length, high);
          return options.share().needs(number, partitioning)
              && segment > manifest.partitions().get(number).foldedThrough();
        };
    Overlay.Before before =
        previous == null
            ? Overlay.Before.NOTHING
            : new Overlay.Before(
                previous.overlay(), kept(base, manifest, previous), previous.grown());
    try {
      return Overlay.open(
          manifest.changes().segments(),
          files::segment,
          partitioning.order(),
          scope,
          options,
          before);
    } catch (InternalError e) {
      throw Thrown.asIs(MappedFault.explained(e, "directory=" + files.directory()));
    }
  }

  /**
   * Checks that a partition of a version with changes stores keys.
   *
   * @throws CorruptSnapshotException if it does not
   */
  public static void requireKeys(Partition partition) throws CorruptSnapshotException {
    if (!partition.storesKeys()) {
      throw new CorruptSnapshotException(
          "a file without keys cannot have changes: file=%s; rebuild the table"
              .formatted(partition.path()));
    }
  }

  private static Overlay.Kept kept(Base base, Manifest manifest, OpenSnapshot previous) {
    if (follows(base, manifest, previous)) {
      return Overlay.Kept.ALL;
    }
    return manifest.foldsChangesOf(previous.manifest()) ? Overlay.Kept.APPLYING : Overlay.Kept.NONE;
  }

  /** Returns whether all changes of the version before apply as they did, over the same base. */
  private static boolean follows(Base base, Manifest manifest, OpenSnapshot previous) {
    return previous.base() == base && manifest.follows(previous.manifest());
  }

  /** Returns whether a table of this size is read through when it is opened. */
  public static boolean isWarmedUp(ReaderOptions options, long tableBytes) {
    return options.warmUp() == WarmUp.ALWAYS
        && switch (options.access()) {
          case MAPPED -> PartitionOpener.fitsMemoryTwice(tableBytes);
          case RESIDENT -> true;
          case DIRECT, IO_URING -> false;
        };
  }

  /**
   * Reads and verifies all blocks.
   *
   * @throws CorruptSnapshotException if one is damaged
   * @throws InterruptedIOException if the thread is interrupted
   */
  public static void warmUp(OpenSnapshot snapshot) throws IOException {
    try {
      for (Partition partition : snapshot.partitions()) {
        BlockFile file = partition.blocks();
        int count = file.index().blockCount();
        for (int number = 0; number < count; number += WARMED_UP_TOGETHER) {
          if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted while warming up: file=" + file.path());
          }
          file.verifyInMemory(number, Math.min(count, number + WARMED_UP_TOGETHER));
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      throw Thrown.asIs(snapshot.failures().explained(e));
    }
  }
}
