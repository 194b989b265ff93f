package io.bsdb.reader;

import io.bsdb.format.ValueReader;
import io.bsdb.format.block.Block;
import io.bsdb.format.block.BlockReader;
import io.bsdb.format.index.KeyOrder;
import io.bsdb.format.index.OrderIndex;
import io.bsdb.reader.overlay.ChangeWalk;
import io.bsdb.reader.overlay.ChangeWalk.BaseRecord;
import io.bsdb.reader.overlay.ChangeWalk.Next;
import io.bsdb.reader.overlay.SortedChanges;
import io.bsdb.reader.partition.Partition;
import io.bsdb.reader.snapshot.Ended;
import io.bsdb.reader.snapshot.OpenSnapshot;
import io.bsdb.reader.snapshot.OrderedSeek;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Position of a walk over a range, which is given one block after the other. Used by one thread.
 */
final class RangePosition {
  /** The records of a range that are wanted. */
  static final class Collected<T> {
    private final List<T> records = new ArrayList<>();
    private final int limit;
    private final RecordReader<T> reader;
    private final Ended ended;
    private long bytesLeft;

    Collected(int limit, long bytes, RecordReader<T> reader, Ended ended) {
      this.ended = ended;
      this.limit = limit;
      this.bytesLeft = bytes;
      this.reader = reader;
    }

    boolean isFull() {
      return records.size() == limit || bytesLeft <= 0;
    }

    /** Returns what reads the value of the next record, and adds it unless it is hidden. */
    ValueReader<?> next(byte[] key) {
      return ended.in(
          (index, bytes, offset, length) -> {
            bytesLeft -= key.length + length;
            return records.add(Objects.requireNonNull(reader.read(key, bytes, offset, length)));
          });
    }

    List<T> records() {
      return records;
    }
  }

  private final OpenSnapshot snapshot;
  private final KeyRange range;
  private final @Nullable ChangeWalk changes;
  private @Nullable Partition partition;
  private int record;

  /**
   * @param start settled on the first record
   */
  RangePosition(OpenSnapshot snapshot, KeyRange range, OrderedSeek start) {
    this.snapshot = snapshot;
    this.range = range;
    SortedChanges sorted = snapshot.sortedChanges();
    this.changes = sorted == null ? null : range.walk(sorted);
    this.partition = start.partition();
    this.record = start.record();
  }

  /** Returns the partition of the base's next record; null if there is none. */
  @Nullable Partition partition() {
    return partition;
  }

  /** Returns the block of the base's next record. */
  int block() {
    return Objects.requireNonNull(partition).blocks().index().block(record);
  }

  /**
   * Adds the records of the block of the base's next record, and the changes in front of them, as
   * far as they are wanted.
   */
  void collect(Block block, int base, Collected<?> target) throws IOException {
    Partition own = Objects.requireNonNull(partition);
    OrderIndex order = Objects.requireNonNull(own.order());
    BlockReader reader = own.blocks().reader();
    byte[] end = range.end();
    int first = block.firstRank(base);
    int count = block.recordCount(base);
    int step = range.isReversed() ? -1 : 1;
    while (record >= first && record < first + count && !target.isFull()) {
      long place = order.record(block, base, record - first);
      ByteBuffer body = block.body();
      long key = reader.key(body, place);
      BaseRecord current = other -> KeyOrder.compare(body, (int) (key >>> 32), (int) key, other);
      if (end != null && !range.holds(current.compareKey(end))) {
        partition = null;
        return;
      }
      Next next = changes == null ? Next.RECORD : changes.next(current);
      if (next == Next.RECORD) {
        var unused = block.lend(reader.value(body, place), 0, target.next(block.copy(key)));
      } else if (changes != null) {
        take(changes, next, target);
      }
      record += next == Next.CHANGE ? 0 : step;
      if (next == Next.DELETED_RECORD && record >= 0 && record < own.recordCount()) {
        record = snapshot.skipDeleted(own.number(), record, range.isReversed());
      }
    }
    leave(own);
  }

  /** Adds what is left where the base has no record any more, as far as it is wanted. */
  void collectChanges(Collected<?> target) throws IOException {
    while (changes != null && !target.isFull() && changes.next(null) == Next.CHANGE) {
      take(changes, Next.CHANGE, target);
    }
  }

  private static void take(ChangeWalk changes, Next next, Collected<?> target) {
    if (next != Next.DELETED_RECORD) {
      var unused = changes.value(target.next(changes.key()));
    }
    changes.advance();
  }

  /** Goes over to the next partition if the records of this one have ended. */
  private void leave(Partition own) {
    if (record >= 0 && record < own.recordCount()) {
      return;
    }
    int number = own.number() + (record < 0 ? -1 : 1);
    boolean none = number < 0 || number == snapshot.partitioning().count();
    Partition next = none ? null : snapshot.partition(number);
    record = next == null || record >= 0 ? 0 : next.recordCount() - 1;
    partition = next;
  }
}
