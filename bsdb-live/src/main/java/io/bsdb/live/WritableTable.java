package io.bsdb.live;

import io.bsdb.format.ValueReader;
import io.bsdb.reader.KeyLookup;
import io.bsdb.reader.RecordCursor;
import io.bsdb.table.Table;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A table that one process writes in place: a log of changes over the version in service, or over
 * nothing. Safe for many threads.
 *
 * <p>A change is in the table once its method has returned. A lookup that begins after that sees it
 * or a later one of the same key; with {@link Durability#COMMIT} no lookup sees a change before it
 * is on disk. Changes of many threads share writes and fsyncs, so more threads write more.
 *
 * <p>If a change fails with {@link OutcomeUnknownException}, it may or may not be there when the
 * table is next opened; with any other exception it is not. After the former nothing more can be
 * written.
 */
public interface WritableTable extends KeyLookup, Closeable {
  /** Opens a table with default options. */
  static WritableTable open(Path table) throws IOException {
    return open(table, WritableOptions.defaults());
  }

  /**
   * Opens a table for writing, and creates it if there is none. Replays the log.
   *
   * @param table its directory, on a local disk
   * @throws io.bsdb.format.CorruptSnapshotException if something that was written durably is
   *     damaged
   * @throws IOException also if a process, this one or another, has it open for writing
   */
  static WritableTable open(Path table, WritableOptions options) throws IOException {
    return LiveTable.open(table, options, LiveTable.Place.DISK);
  }

  /**
   * Copies the version in service of a table into a new table. Files are linked where the file
   * system can, else copied.
   *
   * @param table which is only read, without its lock; its log is not copied
   * @param directory which must not exist
   * @throws IOException also if the version is deleted meanwhile: then there is no complete table
   */
  static void copy(Path table, Path directory) throws IOException {
    TableCopy.makeUnlocked(Table.at(table), table, directory);
  }

  /**
   * Reads the values of many keys where they lie, faster than one by one. Changes that are written
   * meanwhile may be in some of the answers.
   */
  @Override
  <T> List<@Nullable T> getAll(List<byte[]> keys, ValueReader<T> reader) throws IOException;

  /**
   * Sets the value of a key, whether it has one or not.
   *
   * @param key 1 to 65,535 bytes
   * @param value up to 256 MiB
   * @throws NullPointerException if either is null; as the other methods do
   */
  void put(byte[] key, byte[] value) throws IOException;

  /** Deletes a key's value, if it has one. */
  void delete(byte[] key) throws IOException;

  /**
   * Sets or deletes the value of a key if the key has the expected value: in one step, whatever
   * other threads write. Conditional writes of one key come one after the other; with {@link
   * Durability#COMMIT} each waits for the disk.
   *
   * @param expected value that the key must have; null for none
   * @param value new value; null to delete it
   * @return false if the key had another value; nothing was written then
   */
  boolean compareAndSet(byte[] key, byte @Nullable [] expected, byte @Nullable [] value)
      throws IOException;

  /**
   * Sets the value of a key that has none.
   *
   * @return the value that it had; null if it had none and the value was written
   */
  default byte @Nullable [] putIfAbsent(byte[] key, byte[] value) throws IOException {
    Objects.requireNonNull(value, "value");
    byte[] present;
    do {
      present = get(key);
    } while (present == null && !compareAndSet(key, null, value));
    return present;
  }

  /**
   * Sets the value of a key to what a function returns for its current value. Holds no lock while
   * the function runs: if another thread has written the key, it is called again.
   *
   * @param function gets the value and returns the new one; null stands for none. It may be called
   *     many times, and may use the table.
   * @return the new value
   */
  default byte @Nullable [] compute(byte[] key, UnaryOperator<byte @Nullable []> function)
      throws IOException {
    byte[] before;
    byte[] after;
    do {
      before = get(key);
      after = function.apply(before == null ? null : before.clone());
    } while (!compareAndSet(key, before, after));
    return after;
  }

  /** Writes the changes of a batch: after a crash all of them are there, or none. */
  void write(WriteBatch batch) throws IOException;

  /**
   * Returns how far each source had been read with the changes that are in the table: the {@link
   * WriteBatch#position positions} written here, and those of the version that it began over.
   */
  Map<String, String> sourcePositions();

  /** Forces all earlier writes to disk, where {@link Durability#COMMIT} has put them already. */
  void sync() throws IOException;

  /**
   * Publishes all changes so far as a version, for other processes that follow the table. Done in
   * the background, too, whenever the log has become long.
   */
  void publish() throws IOException;

  /**
   * Returns a cursor over all records as they are now: without later changes, and with all or
   * nothing of each batch. Reads the changes in the log before it returns; publishes nothing, and
   * makes no writer wait. To be closed, possibly after the table: until then it holds files open.
   */
  RecordCursor cursor() throws IOException;

  /**
   * Copies the table as it is now into a new table. Files are linked where the file system can,
   * else copied; writers go on meanwhile.
   *
   * @param directory which must not exist
   * @return the position after which a {@link ChangeReader} finds the changes that the copy does
   *     not have
   */
  LogPosition checkpoint(Path directory) throws IOException;

  /** Publishes all changes, and folds all of them into the partition files. */
  void compact() throws IOException;

  /**
   * Pauses folding until {@link #resumeCompaction}, for which {@link #compact} waits, too. Changes
   * are still published; writes fail at the limits at which they would otherwise wait for folds.
   */
  void pauseCompaction();

  /** Ends a {@link #pauseCompaction}. */
  void resumeCompaction();

  /**
   * Returns the state of the table.
   *
   * @throws IOException if its directory, whose files are counted, cannot be read
   */
  WritableStats stats() throws IOException;

  /**
   * Publishes all changes and closes the table, so that it can be opened again. Idempotent. Lookups
   * afterwards, also those of conditional writes, throw {@link
   * io.bsdb.reader.ClosedReaderException}; what writes, publishes or folds throws an {@link
   * IOException}.
   *
   * @throws IOException also if the changes could not be published: they are durable in the log,
   *     unless that failed before
   */
  @Override
  void close() throws IOException;
}
