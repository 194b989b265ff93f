package io.bsdb.reader;

import io.bsdb.format.ValueReader;
import io.bsdb.reader.metrics.ReaderMetrics;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Looks keys up in one snapshot without waiting for the disk: the sibling of {@link
 * SnapshotReader}, with the same answers.
 *
 * <p>With {@link Access#IO_URING} a future is completed by the ring's reactor thread, with {@link
 * Access#DIRECT} by a thread of a pool, with access in memory before the call returns; with a block
 * cache also before the call returns, or by a thread that reads the same block for a lookup of its
 * own. What a caller attaches to a future runs there: it should be short and must not block. At
 * most 8 times the queue depth of reads may be waiting; a further call waits until there is room,
 * unless it is made where a future of whatever reader is completed. A caller that keeps its own
 * count of what is in flight should ask for many each time that it wakes, or ask for the next where
 * the last completes: a thread woken for every answer costs more than the read.
 *
 * <p>Safe for many threads. Every future completes exactly once, also when the reader is closed.
 */
public interface AsyncSnapshotReader extends Closeable {
  /**
   * Opens a table's snapshot in service, or one snapshot.
   *
   * @throws IOException as {@link SnapshotReader#open(Path, ReaderOptions)}
   */
  static AsyncSnapshotReader open(Path path, ReaderOptions options) throws IOException {
    SnapshotReader reader = SnapshotReader.open(path, options);
    try {
      return reader.async();
    } catch (RuntimeException | Error e) {
      reader.close();
      throw e;
    }
  }

  /**
   * Reads the value of a key where it lies. Fails with what {@link SnapshotReader#get(byte[],
   * ValueReader)} throws, or with {@link ClosedReaderException} if the reader is closed before the
   * read is done.
   *
   * @param key must not be changed before the future completes
   * @param reader called by the thread that completes the future, while others wait for that
   *     thread: it must not block, nor use a reader of a table, which throws {@link
   *     IllegalStateException} if the table is read from disk
   * @return what the reader returned, or null: absent
   * @throws ClosedReaderException after {@link #close}
   */
  <T> CompletableFuture<@Nullable T> get(byte[] key, ValueReader<T> reader);

  /**
   * Reads the values of many keys where they lie, one read per distinct block; as {@link #get}.
   *
   * @param reader gets the index of each key that is present; in any order, and by several threads
   *     at once with {@link Access#DIRECT}
   * @return what the reader returned for each key, in their order; null: absent
   */
  <T> CompletableFuture<List<@Nullable T>> getAll(List<byte[]> keys, ValueReader<T> reader);

  /** Returns a copy of the value of a key, or null: absent. */
  default CompletableFuture<byte @Nullable []> get(byte[] key) {
    return get(key, ValueReader.COPY);
  }

  /** Returns copies of the values of many keys, in their order; null: absent. */
  default CompletableFuture<List<byte @Nullable []>> getAll(List<byte[]> keys) {
    return getAll(keys, ValueReader.COPY);
  }

  /**
   * Returns the same records, looked up by the order of their keys.
   *
   * @throws IllegalStateException if the table is in hash order
   */
  AsyncOrderedReader ordered();

  /** Returns the manifest of what is open. */
  Manifest manifest();

  /** Returns the counters of this reader. */
  ReaderMetrics metrics();

  /**
   * Fails the futures of reads that are waiting, waits for those that the disk is at, and releases
   * all; closes the synchronous sibling too. Idempotent.
   */
  @Override
  void close() throws IOException;
}
