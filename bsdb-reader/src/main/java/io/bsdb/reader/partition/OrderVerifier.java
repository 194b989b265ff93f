package io.bsdb.reader.partition;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.block.Block;
import io.bsdb.format.index.OrderIndex;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.reader.block.BlockFetch;
import io.bsdb.reader.block.BlockFile;
import io.bsdb.reader.block.MemoryBlocks;
import io.bsdb.reader.options.Access;
import io.bsdb.table.manifest.Partitioning;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Checks the order of a partition's records: that keys ascend, lie between the bounds of the
 * partition and its neighbours, and are where a search for them ends. Used by one thread.
 */
public final class OrderVerifier {
  private final Partition partition;
  private final OrderIndex order;
  private final byte @Nullable [] upperBound;
  private final BlockFetch source = new MemoryBlocks(Access.MAPPED.name());
  private byte @Nullable [] before;

  private OrderVerifier(Partition partition, OrderIndex order, byte @Nullable [] upperBound) {
    this.partition = partition;
    this.order = order;
    this.upperBound = upperBound;
  }

  /** Returns null if there is no order to check. */
  public static @Nullable OrderVerifier of(Partition partition, Partitioning partitioning) {
    OrderIndex order = partition.order();
    if (order == null) {
      return null;
    }
    int next = partition.number() + 1;
    return new OrderVerifier(
        partition, order, next == partitioning.count() ? null : partitioning.lowerBound(next));
  }

  /** Checks the next record. */
  public void accept(RecordWalk walk, int number) throws IOException {
    byte[] key = walk.key();
    byte[] last = before;
    if (last != null && Arrays.compareUnsigned(last, key) >= 0) {
      throw new CorruptSnapshotException(
          "keys do not ascend: file=%s offset=%d record=%d"
              .formatted(partition.path(), walk.blockOffset(), number));
    }
    if (last == null && !Arrays.equals(key, order.first())) {
      throw contradicted("first", walk.blockOffset());
    }
    if (upperBound != null && Arrays.compareUnsigned(key, upperBound) >= 0) {
      throw new CorruptSnapshotException(
          "a key belongs to a later partition: file=%s offset=%d record=%d"
              .formatted(partition.path(), walk.blockOffset(), number));
    }
    int found = order.side(key) == 0 ? find(key) : -1;
    if (found != number) {
      throw new CorruptSnapshotException(
          "a record cannot be found by its order: file=%s offset=%d record=%d found=%d"
              .formatted(partition.path(), walk.blockOffset(), number, found));
    }
    before = key;
  }

  /** Returns the number of the record that is found to be the last one not above a key. */
  private int find(byte[] key) throws IOException {
    OrderIndex.Search search = order.search(key);
    BlockFile file = partition.blocks();
    while (true) {
      int undecided = search.undecided();
      int number = undecided < 0 ? search.block() : undecided;
      Block block = source.fetch(file, number).readable(file.decoders(), FieldSelection.ALL);
      try {
        int base = block.base(number);
        if (undecided < 0) {
          return block.firstRank(base) + order.countThrough(block, base, number, key) - 1;
        }
        search.decide(order.compare(block, base, 0, key) > 0);
      } finally {
        block.release();
      }
    }
  }

  /** Checks what is known only after the last record. */
  public void end() throws CorruptSnapshotException {
    if (before == null || !Arrays.equals(before, order.last())) {
      throw contradicted("last", partition.blocks().memory().length());
    }
  }

  private CorruptSnapshotException contradicted(String which, long offset) {
    return new CorruptSnapshotException(
        "%s key differs from the order index: file=%s offset=%d"
            .formatted(which, partition.path(), offset));
  }
}
