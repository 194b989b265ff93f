package io.bsdb.reader;

import io.bsdb.format.block.Block;
import io.bsdb.format.block.BlockReader;
import io.bsdb.format.index.KeyOrder;
import io.bsdb.format.index.OrderIndex;
import io.bsdb.reader.partition.Partition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Where a walk over a range is that is given one block after the other. Used by one thread. */
final class RangePosition {
  private final OpenSnapshot snapshot;
  private final KeyRange range;
  private @Nullable Partition partition;
  private int record;

  /**
   * @param start settled on the first record
   */
  RangePosition(OpenSnapshot snapshot, KeyRange range, OrderedSeek start) {
    this.snapshot = snapshot;
    this.range = range;
    this.partition = start.partition();
    this.record = start.record();
  }

  /** Returns the partition of the next record; null if there is none. */
  @Nullable Partition partition() {
    return partition;
  }

  /** Returns the block of the next record. */
  int block() {
    return Objects.requireNonNull(partition).blocks().index().block(record);
  }

  /** Adds the records of the block of the next record, as far as they are wanted. */
  void collect(Block block, int base, int limit, List<KeyValue> target) throws IOException {
    Partition own = Objects.requireNonNull(partition);
    OrderIndex order = Objects.requireNonNull(own.order());
    BlockReader reader = own.blocks().reader();
    byte[] end = range.end();
    int first = block.firstRank(base);
    int count = block.recordCount(base);
    int step = range.isReversed() ? -1 : 1;
    for (; record >= first && record < first + count && target.size() < limit; record += step) {
      long place = order.record(block, base, record - first);
      ByteBuffer body = block.body();
      long key = reader.key(body, place);
      if (end != null && !range.holds(KeyOrder.compare(body, (int) (key >>> 32), (int) key, end))) {
        partition = null;
        return;
      }
      target.add(new KeyValue(block.copy(key), block.copy(reader.value(body, place))));
    }
    leave(own);
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
