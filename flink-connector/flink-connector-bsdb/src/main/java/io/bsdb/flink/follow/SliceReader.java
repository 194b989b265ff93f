package io.bsdb.flink.follow;

import io.bsdb.flink.follow.OpenVersions.Version;
import io.bsdb.flink.scan.PartitionRows;
import io.bsdb.format.LentBytes;
import io.bsdb.format.io.Closing;
import io.bsdb.reader.diff.SnapshotDiff;
import io.bsdb.reader.diff.SnapshotDiff.Difference;
import io.bsdb.reader.diff.SnapshotDiff.Position;
import io.bsdb.table.manifest.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.util.stream.Stream;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.jspecify.annotations.Nullable;

/**
 * Reads a slice of the keys: the rows of the first version, then the differences from one version
 * to the next that is in service when the one before has been read.
 */
final class SliceReader implements Closeable {
  private final FollowSplit start;
  private final OpenVersions versions;

  /** The version up to which the slice has been read; null while the first one is. */
  private @Nullable Version from;

  /** The version that is read; null if none is. */
  private @Nullable Version to;

  private @Nullable PartitionRows rows;
  private long rowsRead;
  private @Nullable SnapshotDiff changes;

  private State state = State.NEW;

  private enum State {
    NEW,
    /** The versions where it is to start are open. */
    HELD,
    /** It has been opened where it was to start. */
    STARTED
  }

  SliceReader(FollowSplit start, OpenVersions versions) {
    this.start = start;
    this.versions = versions;
  }

  /** Opens the versions where it is to start: from now on they may be deleted. */
  void hold() throws IOException {
    if (state == State.NEW) {
      from = start.from() == null ? null : versions.use(start.from());
      to = start.to() == null ? null : versions.use(start.to());
      state = State.HELD;
    }
  }

  /**
   * Emits a row, or a change with the rows before and after; returns false if there is none now.
   */
  boolean emitNext(ReaderOutput<RowData> output) throws IOException {
    if (state != State.STARTED) {
      start();
    }
    Version read = to;
    if (read == null) {
      read = beginNext();
      if (read == null) {
        return false;
      }
    }
    return rows == null ? emitChange(read, output) : emitRow(read, rows, output);
  }

  /** Opens all that is needed before anything changes. */
  private void start() throws IOException {
    hold();
    if (to != null && from == null) {
      rows = to.scan(start.number());
      long skipped = start.position().isEmpty() ? 0 : Long.parseLong(start.position());
      for (; rowsRead < skipped; rowsRead++) {
        if (rows.next() == null) {
          throw new IOException("slice is shorter than what was read of it: " + start);
        }
      }
    } else if (to != null && from != null) {
      changes =
          compare(from, to, start.position().isEmpty() ? null : Position.parse(start.position()));
    }
    state = State.STARTED;
  }

  private @Nullable Version beginNext() throws IOException {
    Version before = from;
    String after = before == null ? null : versions.after(before.name());
    if (before == null || after == null) {
      return null;
    }
    Version next = versions.use(after);
    to = next;
    changes = compare(before, next, null);
    return next;
  }

  private SnapshotDiff compare(Version before, Version next, @Nullable Position position)
      throws IOException {
    try {
      return SnapshotDiff.between(
          before.reader(), next.reader(), start.slice(), position, () -> false);
    } catch (IllegalArgumentException e) {
      throw new SuppressRestartsException(
          new ValidationException(
              "table %s cannot be followed from version %s to version %s: %s; start the query again without its state, so that it reads the table as it is now"
                  .formatted(versions.table(), before.name(), next.name(), e.getMessage()),
              e));
    }
  }

  private boolean emitRow(Version read, PartitionRows all, ReaderOutput<RowData> output)
      throws IOException {
    RowData row = all.next();
    if (row != null) {
      rowsRead++;
      output.collect(row);
      return true;
    }
    all.close();
    rows = null;
    finish(read);
    return false;
  }

  private boolean emitChange(Version read, ReaderOutput<RowData> output) throws IOException {
    SnapshotDiff differences = changes;
    Version before = from;
    if (differences == null || before == null) {
      throw new IllegalStateException("nothing is compared");
    }
    Difference difference = differences.next();
    if (difference == null) {
      differences.close();
      changes = null;
      finish(read);
      return false;
    }
    boolean both = difference.kind() == SnapshotDiff.Kind.CHANGED;
    if (difference.before() != null) {
      emit(
          before,
          difference.key(),
          difference.before(),
          both ? RowKind.UPDATE_BEFORE : RowKind.DELETE,
          output);
    }
    if (difference.after() != null) {
      emit(
          read,
          difference.key(),
          difference.after(),
          both ? RowKind.UPDATE_AFTER : RowKind.INSERT,
          output);
    }
    return true;
  }

  private static void emit(
      Version version, byte[] key, byte[] value, RowKind kind, ReaderOutput<RowData> output) {
    RowData row = version.rows(key).read(0, LentBytes.of(value), 0, value.length);
    row.setRowKind(kind);
    output.collect(row);
  }

  private void finish(Version read) throws IOException {
    Version before = from;
    from = read;
    to = null;
    if (before != null) {
      before.close();
    }
  }

  /**
   * Returns the version up to which the slice has been read, or the first one while it is read. Its
   * versions must be held.
   */
  Manifest followed() {
    Version version = from == null ? to : from;
    if (version == null) {
      throw new IllegalStateException("no version is held: " + start);
    }
    return version.reader().manifest();
  }

  /** Returns where another reader would go on. */
  FollowSplit state() {
    if (state != State.STARTED) {
      return start;
    }
    String position = "";
    if (rows != null) {
      position = Long.toString(rowsRead);
    } else if (changes != null) {
      position = changes.position().toString();
    }
    return new FollowSplit(
        start.number(),
        start.slice(),
        from == null ? null : from.name(),
        to == null ? null : to.name(),
        position);
  }

  @Override
  public void close() throws IOException {
    Closing.all(
        Stream.<@Nullable Closeable>of(rows, changes, to, from)
            .flatMap(Stream::ofNullable)
            .toList());
  }
}
