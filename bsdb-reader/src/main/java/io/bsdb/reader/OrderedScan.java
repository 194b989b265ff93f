package io.bsdb.reader;

import io.bsdb.format.ValueReader;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.block.BlockFetch;
import io.bsdb.reader.overlay.ChangeWalk;
import io.bsdb.reader.overlay.ChangeWalk.Next;
import io.bsdb.reader.overlay.SortedChanges;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.partition.RecordWalk;
import io.bsdb.reader.snapshot.Ended;
import io.bsdb.reader.snapshot.OpenSnapshot;
import io.bsdb.reader.snapshot.OrderedSeek;
import io.bsdb.table.manifest.Partitioning;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Walks over a range of keys, in the base and among the changes. */
final class OrderedScan extends Scan {
  private final KeyRange range;
  private final byte @Nullable [] end;
  private final Ended ended;
  private @Nullable ChangeWalk changes;
  private @Nullable Next current;
  private boolean begun;

  /**
   * @param selection of fields that will be read
   */
  OrderedScan(
      OpenSnapshot snapshot,
      KeyRange range,
      BlockFetch source,
      FieldSelection selection,
      Ended ended) {
    super(snapshot, source, selection);
    this.range = range;
    this.end = range.end();
    this.ended = ended;
  }

  @Override
  boolean advance() throws IOException {
    if (!begun) {
      SortedChanges sorted = snapshot.sortedChanges();
      changes = sorted == null ? null : range.walk(sorted); // reads keys
      walk = inRange(begin());
      begun = true;
    } else if (current != null) {
      leave(current);
    }
    Next next = merged();
    current = next;
    while (next == Next.DELETED_RECORD || isHidden(next)) {
      leave(next);
      next = merged();
      current = next;
    }
    return next != Next.NONE;
  }

  private Next merged() throws IOException {
    RecordWalk record = walk;
    ChangeWalk changed = changes;
    if (changed != null) {
      return changed.next(record == null ? null : record::compareKey);
    }
    return record == null ? Next.NONE : Next.RECORD;
  }

  private boolean isHidden(Next next) throws IOException {
    return ended == Ended.HIDDEN
        && next != Next.NONE
        && Boolean.TRUE.equals(currentValue(Ended.TEST));
  }

  /** Moves after what was next. */
  private void leave(Next last) throws IOException {
    if (last != Next.CHANGE && last != Next.NONE) {
      if (last == Next.DELETED_RECORD && walk != null) {
        skipDeleted(walk);
      }
      walk = inRange(beyond(walk));
    }
    ChangeWalk changed = changes;
    if (changed != null && last != Next.RECORD && last != Next.NONE) {
      changed.advance();
    }
  }

  /** Moves from a deleted record to the last one of those that have been deleted with it. */
  private void skipDeleted(RecordWalk record) throws IOException {
    int number = record.recordNumber();
    boolean backward = range.isReversed();
    int next = snapshot.skipDeleted(record.partition().number(), number, backward);
    int last = next == number ? number : backward ? next + 1 : next - 1;
    if (last != number) {
      record.moveTo(last);
    }
  }

  private @Nullable RecordWalk inRange(@Nullable RecordWalk record) throws IOException {
    if (record != null && end != null && !range.holds(record.compareKey(end))) {
      record.close();
      return null;
    }
    return record;
  }

  private @Nullable RecordWalk begin() throws IOException {
    OrderedSeek seek = range.seek(snapshot);
    seek.settle(source);
    Partition partition = seek.partition();
    if (partition == null) {
      return null;
    }
    RecordWalk first = new RecordWalk(partition, source, selection);
    walk = first; // to be closed if moving fails
    first.moveTo(seek.record());
    return first;
  }

  private @Nullable RecordWalk beyond(@Nullable RecordWalk current) throws IOException {
    if (current == null || (range.isReversed() ? current.previous() : current.next())) {
      return current;
    }
    current.close();
    int number = current.partition().number() + (range.isReversed() ? -1 : 1);
    if (number < 0 || number == snapshot.partitioning().count() || isOutside(number)) {
      return null;
    }
    Partition partition = snapshot.partition(number);
    RecordWalk next = new RecordWalk(partition, source, selection);
    walk = next;
    next.moveTo(range.isReversed() ? partition.recordCount() - 1 : 0);
    return next;
  }

  /** Returns whether the bounds say that the next partition has no key of the range. */
  private boolean isOutside(int next) {
    if (end == null) {
      return false;
    }
    Partitioning partitioning = snapshot.partitioning();
    return range.isReversed()
        ? Arrays.compareUnsigned(partitioning.lowerBound(next + 1), end) <= 0
        : !range.holds(Arrays.compareUnsigned(partitioning.lowerBound(next), end));
  }

  /** Returns the changes if the current record is one of them. */
  private @Nullable ChangeWalk change() {
    return current == Next.CHANGE || current == Next.CHANGE_OF_RECORD ? changes : null;
  }

  @Override
  byte[] currentKey() throws IOException {
    ChangeWalk change = change();
    return change == null ? record().key() : change.key().clone();
  }

  @Override
  <T> @Nullable T currentValue(ValueReader<T> reader) throws IOException {
    ChangeWalk change = change();
    return change == null ? record().value(reader) : change.value(reader);
  }
}
