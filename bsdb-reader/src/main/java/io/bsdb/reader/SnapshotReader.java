package io.bsdb.reader;

import com.dynatrace.hash4j.hashing.HashValue128;
import io.bsdb.format.Internal;
import io.bsdb.format.ValueReader;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.metrics.ReaderMetrics;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.reader.snapshot.HashedKeys;
import io.bsdb.reader.snapshot.KeyPlace;
import io.bsdb.reader.snapshot.OpenSnapshot;
import io.bsdb.reader.snapshot.SnapshotFiles;
import io.bsdb.table.PartitionSource;
import io.bsdb.table.manifest.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Looks keys up in one snapshot. Safe for many threads; {@link #close} waits for the calls in
 * flight.
 */
public interface SnapshotReader extends KeyLookup, Closeable {
  /** Opens a table's snapshot in service, or one snapshot, with default options. */
  static SnapshotReader open(Path path) throws IOException {
    return open(path, ReaderOptions.defaults());
  }

  /**
   * Opens a snapshot.
   *
   * @param path a table directory, whose version in service is opened, or one snapshot's directory
   * @throws java.nio.file.NoSuchFileException if there is no snapshot
   * @throws io.bsdb.format.CorruptSnapshotException if its metadata is damaged
   * @throws io.bsdb.format.UnsupportedVersionException if a newer bsdb wrote it
   */
  static SnapshotReader open(Path path, ReaderOptions options) throws IOException {
    return new CallingReader(CallingReader.OPENER.open(path, options));
  }

  /**
   * Opens a version of a table, whichever is in service.
   *
   * @param table its directory
   * @throws IOException as {@link #open(Path, ReaderOptions)}
   */
  static SnapshotReader openVersion(Path table, String version, ReaderOptions options)
      throws IOException {
    return new CallingReader(CallingReader.OPENER.openVersion(table, version, options));
  }

  /**
   * Opens some partitions of a version, by number, and all changes that its manifest names, which
   * need not be published yet.
   *
   * @param table its directory
   * @hidden
   */
  @Internal
  static SnapshotReader openVersion(
      Path table, Manifest manifest, ReaderOptions options, IntPredicate partitions)
      throws IOException {
    return new CallingReader(
        CallingReader.OPENER.openVersion(table, manifest, options, partitions));
  }

  /**
   * Opens partition files of a directory without a manifest, such as copies.
   *
   * @param manifest names the files as the directory does
   * @throws IOException as {@link #open(Path, ReaderOptions)}
   */
  static SnapshotReader openFiles(Path directory, Manifest manifest, ReaderOptions options)
      throws IOException {
    return openFiles(directory, manifest, options, partition -> true);
  }

  /**
   * Opens the files of some partitions, by number, and all segments. To ask for what is in another
   * one is an {@link IllegalArgumentException}.
   *
   * @hidden
   */
  @Internal
  static SnapshotReader openFiles(
      Path directory, Manifest manifest, ReaderOptions options, IntPredicate partitions)
      throws IOException {
    return new CallingReader(
        CallingReader.OPENER.open(
            new SnapshotFiles(directory, true, partitions),
            manifest,
            options,
            DirectFile::openSource,
            null));
  }

  /**
   * Reads the value of a key where it lies. Neither counted nor waited for by {@link #close}: the
   * caller keeps this open.
   *
   * @return what the reader returned; null: absent
   * @hidden
   */
  @Internal
  @SuppressWarnings("exports") // an internal type, to this project only
  <T> @Nullable T find(byte[] key, HashValue128 hash, ValueReader<T> reader) throws IOException;

  /**
   * Answers the keys that have no answer yet; as {@link #find} the caller keeps this open.
   *
   * @hidden
   */
  @Internal
  @SuppressWarnings("exports") // an internal type, to this project only
  void findAll(HashedKeys<?> keys) throws IOException;

  /**
   * Opens another version, as {@link #openVersion} does. If it has the options of this reader, but
   * for when it is warmed up, files and memory that both have are shared, so that a version which
   * differs by some changes opens and warms up nothing else. Each is closed separately.
   *
   * @throws ClosedReaderException after {@link #close}
   */
  SnapshotReader next(Path table, Manifest manifest, ReaderOptions options) throws IOException;

  /** Opens the files of another version, as {@link #openFiles} does; shares as {@link #next}. */
  SnapshotReader nextFiles(Path directory, Manifest manifest, ReaderOptions options)
      throws IOException;

  /**
   * Returns the same records, looked up by the order of their keys.
   *
   * @throws IllegalStateException if the table is in hash order
   */
  OrderedReader ordered();

  /**
   * Returns all records of the partitions that are open: in key order sorted by key, in hash order
   * those of the partition files first, then those that have changed since.
   */
  RecordCursor scan() throws IOException;

  /** Returns the records of one partition, of {@code [0, partitionCount())}. */
  RecordCursor scan(int partition) throws IOException;

  /**
   * Returns the records of one partition in hash order, with its changes, to build it again. What
   * it lends stays valid until this is closed.
   *
   * @param progress called by any thread that reads
   * @hidden
   */
  @Internal
  PartitionSource source(int partition, PartitionSource.Progress progress);

  /**
   * Returns what is open, for comparisons and successors.
   *
   * @hidden
   */
  @Internal
  @SuppressWarnings("exports") // an internal type, to this project only
  OpenSnapshot snapshot();

  /**
   * Returns the changes over the partition files; null if there are none. For compaction.
   *
   * @hidden
   */
  @Internal
  @SuppressWarnings("exports") // an internal type, to this project only
  @Nullable Overlay changes();

  /**
   * Returns where the record of a key lies, or would lie. For people.
   *
   * @hidden
   */
  @Internal
  @SuppressWarnings("exports") // an internal type, to this project only
  KeyPlace place(byte[] key) throws IOException;

  /**
   * Returns a record by its number in the file of a partition; null if it has changed since, or is
   * an ended row. One read, past the block cache. For samples.
   *
   * @throws UnsupportedOperationException if the snapshot stores no keys (approximate)
   * @hidden
   */
  @Internal
  @Nullable KeyValue record(int partition, int number) throws IOException;

  /**
   * Returns lookups and scans of the same files for readers of some fields of rows: the others are
   * not decoded where that takes time, and may come out empty. Not to be closed by itself.
   *
   * @hidden
   */
  @Internal
  @SuppressWarnings("exports") // an internal type, to this project only
  SnapshotReader selecting(FieldSelection fields);

  /**
   * Returns lookups and scans of the same files that show every row of a history as it is stored:
   * an ended row has the one byte {@link io.bsdb.row.RowLayout#ENDED} as its value. Of other tables
   * this reader. Not to be closed by itself.
   */
  SnapshotReader allVersions();

  /** Returns the number of partitions of the snapshot, whether open or not. */
  int partitionCount();

  /**
   * Returns the same lookups with futures, on the same files, memory and block cache. To close one
   * of the two closes both. The first lookup begins what reads in the background.
   */
  AsyncSnapshotReader async();

  /** Returns the manifest of what is open. */
  Manifest manifest();

  /** Returns what this reader and its asynchronous sibling have done so far. */
  ReaderMetrics metrics();

  /** Releases files and memory, also of the asynchronous sibling. Idempotent. */
  @Override
  void close() throws IOException;
}
