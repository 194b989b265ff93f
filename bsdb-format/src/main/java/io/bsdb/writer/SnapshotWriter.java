package io.bsdb.writer;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.io.IOFunction;
import io.bsdb.table.Build;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.writer.options.WriterOptions;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds a snapshot and puts it in service.
 *
 * <pre>{@code
 * try (var writer = SnapshotWriter.create(Path.of("places"), WriterOptions.defaults())) {
 *   writer.add(key, value);
 *   writer.publish();
 * }
 * }</pre>
 *
 * <p>Records may come in any order. They are spilled to temporary files by ranges of the key's hash
 * and built partition by partition, so the memory used does not grow with their number. Closing
 * without {@link #publish}, like a crash, leaves the table as it was. Used by one thread; {@link
 * #publish} builds in parallel.
 */
public final class SnapshotWriter implements Closeable {
  private final Table table;
  private final Build build;
  private final WriterOptions options;
  private final @Nullable Path ownDirectory;
  private final BuildWorker partitions;
  private @Nullable List<PartitionFile> files;
  private State state = State.OPEN;

  private enum State {
    OPEN,
    PUBLISHED,
    CLOSED
  }

  private SnapshotWriter(
      Table table,
      Build build,
      WriterOptions options,
      Path temporaryDirectory,
      @Nullable Path ownDirectory) {
    this.table = table;
    this.build = build;
    this.options = options.begunAt(Instant.now());
    this.ownDirectory = ownDirectory;
    this.partitions = BuildWorker.createAutomatic(table, build, temporaryDirectory, this.options);
  }

  /**
   * Returns a writer for the table in a directory, which need not exist yet. Spills to the table's
   * staging directory by default.
   */
  public static SnapshotWriter create(Path directory, WriterOptions options) throws IOException {
    return create(directory, options, Table::begin);
  }

  /**
   * Creates a writer of records that are at least as new as a version of the table: the changes
   * published after it are kept, and apply to what is built.
   *
   * @throws java.nio.file.NoSuchFileException if there is no such complete version
   */
  public static SnapshotWriter createAsOf(String version, Path directory, WriterOptions options)
      throws IOException {
    return create(directory, options, table -> table.beginAsOf(version));
  }

  private static SnapshotWriter create(
      Path directory, WriterOptions options, IOFunction<Table, Build> begin) throws IOException {
    Table table = Table.at(directory);
    if (options.temporaryDirectory() == null
        && directory.getFileSystem() == FileSystems.getDefault()) {
      Build build = begin.apply(table);
      return new SnapshotWriter(
          table, build, options, directory.resolve(build.stagingDirectory()), null);
    }
    return create(table, options, begin);
  }

  /**
   * Returns a writer for a table in any storage. Spills to the options' temporary directory or the
   * system's.
   */
  public static SnapshotWriter create(Table table, WriterOptions options) throws IOException {
    return create(table, options, Table::begin);
  }

  private static SnapshotWriter create(
      Table table, WriterOptions options, IOFunction<Table, Build> begin) throws IOException {
    Build build = begin.apply(table);
    Path parent = options.temporaryDirectory();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    Path own =
        parent == null
            ? Files.createTempDirectory("bsdb-")
            : Files.createTempDirectory(parent, "bsdb-");
    try {
      return new SnapshotWriter(table, build, options, own, own);
    } catch (RuntimeException | Error e) {
      Files.delete(own);
      throw e;
    }
  }

  /** Sets the progress listener. */
  public void listener(BuildListener value) {
    partitions.listener(value);
  }

  /** Adds a record: see {@link #add(byte[], int, int, byte[], int, int)}. */
  public void add(byte[] key, byte[] value) throws IOException {
    partitions.add(key, value);
  }

  /**
   * Adds a record; copies what it needs.
   *
   * @param keyLength 1 to {@link SnapshotFormat#MAX_KEY_LENGTH}
   * @param valueLength 0 to {@link SnapshotFormat#MAX_VALUE_LENGTH}
   * @throws IllegalArgumentException if a length is out of range
   */
  public void add(
      byte[] key, int keyOffset, int keyLength, byte[] value, int valueOffset, int valueLength)
      throws IOException {
    partitions.add(key, keyOffset, keyLength, value, valueOffset, valueLength);
  }

  /** Records added so far. */
  public long recordCount() {
    return partitions.recordCount();
  }

  /**
   * Builds all partitions, makes them durable and puts the snapshot in service. If only the last of
   * these fails, it may be called again.
   *
   * @return the manifest of what is now in service
   * @throws DuplicateKeyException if a key came twice and the options say to fail
   * @throws TooFewRowsException if the options demand more rows
   * @throws io.bsdb.table.PublishConflictException if another build published first
   */
  public Manifest publish() throws IOException {
    if (state != State.OPEN) {
      throw new IllegalStateException(
          "the writer is " + (state == State.CLOSED ? "closed" : "already published"));
    }
    if (files == null) {
      files = partitions.finish();
    }
    Manifest manifest =
        SnapshotPublisher.publish(table, build, partitions.partitionCount(), files, options);
    state = State.PUBLISHED;
    return manifest;
  }

  /** Deletes temporary files and, if nothing was published, all that was written. */
  @Override
  public void close() throws IOException {
    if (state == State.CLOSED) {
      return;
    }
    boolean published = state == State.PUBLISHED;
    state = State.CLOSED;
    try {
      partitions.close();
    } finally {
      try {
        if (!published) {
          table.abort(build);
        }
      } finally {
        if (ownDirectory != null) {
          Files.deleteIfExists(ownDirectory);
        }
      }
    }
  }
}
