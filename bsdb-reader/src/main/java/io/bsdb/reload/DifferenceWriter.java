package io.bsdb.reload;

import io.bsdb.format.Internal;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.snapshot.RecordComparison;
import io.bsdb.reader.snapshot.RecordComparison.Outcome;
import io.bsdb.writer.DuplicateKeyException;
import io.bsdb.writer.SegmentFiles;
import io.bsdb.writer.options.Duplicates;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Compares all rows of an input, or of a share of it, with those of a version, and writes what has
 * to change into segments. Used by one thread.
 *
 * @hidden
 */
@Internal
public final class DifferenceWriter {
  private static final int BATCH = 256;

  private final SnapshotReader reader;
  private final RecordComparison comparison;
  private final Duplicates duplicates;
  private final Predicate<byte[]> kept;
  private final @Nullable SegmentFiles files;

  private final List<byte[]> keys = new ArrayList<>(BATCH);
  private final List<byte[]> values = new ArrayList<>(BATCH);
  private long same;
  private long added;
  private long changed;
  private long deleted;
  private long bytes;

  /**
   * Begins a comparison. Needs two bits of memory per record of the version, and 32 bytes per key
   * that is new or has changed since its partition files were built.
   *
   * @param reader of the version; stays open until the comparison has ended, and is not closed
   * @param partitions tests the number of a partition of the version: whether all of its rows are
   *     compared; no rows of others may be added
   * @param kept tests whether a key stays as it is in the version, whatever the input has
   * @param files receives the changes that turn the version into the input; the last change of a
   *     key counts; null to count the changes only
   * @throws UnsupportedOperationException if the version stores no keys
   */
  public DifferenceWriter(
      SnapshotReader reader,
      IntPredicate partitions,
      Duplicates duplicates,
      Predicate<byte[]> kept,
      @Nullable SegmentFiles files) {
    this.reader = reader;
    this.comparison = new RecordComparison(reader.snapshot(), partitions);
    this.duplicates = duplicates;
    this.kept = kept;
    this.files = files;
  }

  /**
   * Adds a record of the input; keeps both arrays until it is compared.
   *
   * @throws DuplicateKeyException if a key came twice, and that is a failure
   */
  public void add(byte[] key, byte[] value) throws IOException {
    keys.add(key);
    values.add(value);
    if (keys.size() == BATCH) {
      compare();
    }
  }

  /** Returns how many rows differ so far, deleted ones not counted. */
  public long differing() {
    return added + changed;
  }

  private void compare() throws IOException {
    Outcome[] outcomes = comparison.compare(keys, values);
    for (int i = 0; i < outcomes.length; i++) {
      compared(outcomes[i], keys.get(i), values.get(i));
    }
    keys.clear();
    values.clear();
  }

  private void compared(Outcome outcome, byte[] key, byte[] value) throws IOException {
    if (outcome == Outcome.REPEATED && duplicates == Duplicates.FAIL) {
      throw new DuplicateKeyException(key);
    }
    if (outcome == Outcome.SAME || (outcome != Outcome.REPEATED && kept.test(key))) {
      same++;
    } else if (outcome != Outcome.REPEATED) {
      added += outcome == Outcome.NEW ? 1 : 0;
      changed += outcome == Outcome.CHANGED ? 1 : 0;
      put(key, value);
    } else if (duplicates == Duplicates.LAST && !kept.test(key)) {
      put(key, value); // the last change of a key counts
    }
  }

  private void put(byte[] key, byte[] value) throws IOException {
    bytes += key.length + value.length;
    if (files != null) {
      files.put(key, value);
    }
  }

  private void delete(byte[] key) throws IOException {
    if (!kept.test(key)) {
      deleted++;
      bytes += key.length;
      if (files != null) {
        files.delete(key);
      }
    }
  }

  /**
   * Compares what is left, and hands out the records whose keys the input had so far, as the
   * version has them.
   */
  void present(RecordComparison.RecordSink records) throws IOException {
    compare();
    comparison.present(records);
  }

  /** Compares what is left, and looks for the keys that the input did not have. */
  public ReloadReport.Difference finish() throws IOException {
    compare();
    comparison.missing(this::delete);
    return new ReloadReport.Difference(
        reader.manifest().version(), same, added, changed, deleted, bytes);
  }
}
