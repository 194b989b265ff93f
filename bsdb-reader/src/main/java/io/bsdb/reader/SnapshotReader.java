package io.bsdb.reader;

import io.bsdb.format.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks keys up in one snapshot. Safe for many threads; {@link #close} waits for the calls under
 * way.
 *
 * <p>An answer is either the value that the writer was given or, for a key it was not given, null.
 * If that cannot be told, because bytes are damaged or cannot be read, there is an {@link
 * IOException}. The exception are approximate snapshots: they answer an absent key with some other
 * record's value with probability 2^−(signature bits).
 */
public interface SnapshotReader extends Closeable {
  /** What {@link #get(byte[], ByteBuffer)} returns for an absent key. */
  int NOT_FOUND = -1;

  /** Opens a table's snapshot in service, or one snapshot, with default options. */
  static SnapshotReader open(Path path) throws IOException {
    return open(path, ReaderOptions.defaults());
  }

  /**
   * Opens a snapshot.
   *
   * @param path a table directory, of which the version in service is opened, or one snapshot's
   *     directory
   * @throws java.nio.file.NoSuchFileException if there is no snapshot
   * @throws io.bsdb.format.CorruptSnapshotException if its metadata is damaged
   * @throws io.bsdb.format.UnsupportedVersionException if a newer bsdb wrote it
   */
  static SnapshotReader open(Path path, ReaderOptions options) throws IOException {
    return new PartitionedReader(SnapshotOpener.open(path, options));
  }

  /**
   * The value of a key.
   *
   * @param key 1 to 65,535 bytes; read only during the call. A key of another length is absent.
   * @return a new array, or null: absent
   * @throws io.bsdb.format.CorruptSnapshotException if the block that should hold the key is
   *     damaged
   * @throws ClosedReaderException after {@link #close}
   */
  byte @Nullable [] get(byte[] key) throws IOException;

  /**
   * Copies the value of a key into the caller's buffer, from its position on, and moves the
   * position behind it.
   *
   * @return the value's length, or {@link #NOT_FOUND}
   * @throws java.nio.BufferOverflowException if the value is longer than what remains of the
   *     buffer, which is then unchanged
   */
  int get(byte[] key, ByteBuffer target) throws IOException;

  /**
   * The values of many keys, faster than one by one: the cache misses of different keys overlap.
   *
   * @return one entry per key, in their order; null: absent
   */
  List<byte @Nullable []> getAll(List<byte[]> keys) throws IOException;

  /** All records of the partitions that are open, one after the other. */
  RecordCursor scan() throws IOException;

  /** The records of one partition, of {@code [0, partitionCount())}. */
  RecordCursor scan(int partition) throws IOException;

  /** Partitions of the snapshot, whether open or not. */
  int partitionCount();

  /**
   * The same lookups with futures, on the same files, memory and block cache. To close one of the
   * two closes both. The first call begins what reads in the background; further ones cost nothing.
   */
  AsyncSnapshotReader async();

  /** What is open. */
  Manifest manifest();

  /** What this reader and its asynchronous sibling have done so far. */
  ReaderMetrics metrics();

  /** Releases files and memory, also of the asynchronous sibling. Idempotent. */
  @Override
  void close() throws IOException;
}
