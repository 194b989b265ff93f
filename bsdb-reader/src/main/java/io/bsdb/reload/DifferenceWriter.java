package io.bsdb.reload;

import io.bsdb.reader.RecordComparison;
import io.bsdb.reader.RecordComparison.Outcome;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.Manifest;
import io.bsdb.table.Table;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.DuplicateKeyException;
import io.bsdb.writer.Duplicates;
import io.bsdb.writer.SnapshotPublisher;
import io.bsdb.writer.WriterOptions;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Compares all rows of an input with a version, and writes those that differ into a delta. */
final class DifferenceWriter implements Closeable {
  private static final int BATCH = 256;

  private final Table table;
  private final WriterOptions options;
  private final SnapshotReader reader;
  private final RecordComparison comparison;

  /** Null if nothing is to be published. */
  private final @Nullable DeltaWriter delta;

  private final List<byte[]> keys = new ArrayList<>(BATCH);
  private final List<byte[]> values = new ArrayList<>(BATCH);
  private long same;
  private long added;
  private long changed;
  private long deleted;
  private long bytes;

  /** Takes over the reader. */
  DifferenceWriter(
      Table table, WriterOptions options, SnapshotReader reader, @Nullable DeltaWriter delta) {
    this.table = table;
    this.options = options;
    this.reader = reader;
    this.comparison = reader.comparison();
    this.delta = delta;
  }

  /** Adds a record of the input; keeps both arrays until it is compared. */
  void add(byte[] key, byte[] value) throws IOException {
    keys.add(key);
    values.add(value);
    if (keys.size() == BATCH) {
      compare();
    }
  }

  /** Returns how many rows differ so far, deleted ones not counted. */
  long differing() {
    return added + changed;
  }

  private void compare() throws IOException {
    Outcome[] outcomes = comparison.compare(keys, values);
    for (int i = 0; i < outcomes.length; i++) {
      byte[] key = keys.get(i);
      switch (outcomes[i]) {
        case SAME -> same++;
        case CHANGED -> {
          changed++;
          put(key, values.get(i));
        }
        case NEW -> {
          added++;
          put(key, values.get(i));
        }
        case REPEATED -> repeated(key, values.get(i));
      }
    }
    keys.clear();
    values.clear();
  }

  private void repeated(byte[] key, byte[] value) throws IOException {
    if (options.duplicates() == Duplicates.FAIL) {
      throw new DuplicateKeyException(key);
    }
    if (options.duplicates() == Duplicates.LAST) {
      put(key, value); // the last change of a key counts
    }
  }

  private void put(byte[] key, byte[] value) throws IOException {
    bytes += key.length + value.length;
    if (delta != null) {
      delta.put(key, value);
    }
  }

  private void delete(byte[] key) throws IOException {
    deleted++;
    bytes += key.length;
    if (delta != null) {
      delta.delete(key);
    }
  }

  /** Compares what is left, and looks for the keys that the input did not have. */
  ReloadReport.Difference finish() throws IOException {
    compare();
    comparison.missing(this::delete);
    return new ReloadReport.Difference(
        reader.manifest().version(), same, added, changed, deleted, bytes);
  }

  /**
   * Puts the difference in service.
   *
   * @throws io.bsdb.writer.TooFewRowsException if the options demand more rows
   * @throws io.bsdb.table.PublishConflictException if the table was changed meanwhile
   */
  Manifest publish(ReloadReport.Difference difference) throws IOException {
    DeltaWriter writer = delta;
    if (writer == null) {
      throw new IllegalStateException("nothing is to be published");
    }
    SnapshotPublisher.requireEnoughRows(table, difference.version(), difference.rows(), options);
    writer.requireVersion(difference.version());
    options.sourcePositions().forEach(writer::position);
    return writer.publish();
  }

  /** Deletes what was written and not published. */
  @Override
  public void close() throws IOException {
    try {
      if (delta != null) {
        delta.close();
      }
    } finally {
      reader.close();
    }
  }
}
