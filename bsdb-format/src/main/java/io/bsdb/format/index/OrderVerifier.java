package io.bsdb.format.index;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.block.BlockIndex;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Checks the order of a partition's records: that keys ascend, and that order index and heads are
 * made from them. Then every search ends at the right record, also for a key that is not there, so
 * none is tried. Used by one thread.
 */
public final class OrderVerifier {
  private final OrderIndex order;
  private final int[] levels;
  private final BlockIndex index;
  private final @Nullable RecordHeads heads;
  private final String file;

  /** The first key of the current node of each level, then that of the current block. */
  private final byte[][] starts;

  private byte @Nullable [] before;
  private int number;

  /** The number of blocks whose first record has been accepted. */
  private int blocks;

  OrderVerifier(
      OrderIndex order, int[] levels, BlockIndex index, @Nullable RecordHeads heads, String file) {
    this.order = order;
    this.levels = levels;
    this.index = index;
    this.heads = heads;
    this.file = file;
    this.starts = new byte[levels.length][];
  }

  /**
   * Checks the next record.
   *
   * @param offset of its block
   */
  public void accept(byte[] key, long offset) throws CorruptSnapshotException {
    byte[] last = before;
    if (last != null && Arrays.compareUnsigned(last, key) >= 0) {
      throw misplaced("keys do not ascend", offset);
    }
    if (last == null && !Arrays.equals(key, order.first())) {
      throw misplaced("first key differs from the order index", offset);
    }
    if (number == index.firstRank(blocks)) {
      endBlock(key);
      beginBlock(key);
    }
    RecordHeads filter = heads;
    if (filter != null) {
      int expected = filter.headOf(key, blocks - 1);
      require("head", expected, filter.head(number), "HEADS record=", number);
    }
    before = key;
    number++;
  }

  /**
   * Checks what is known only after the last record.
   *
   * @param offset where the blocks end
   */
  public void end(long offset) throws CorruptSnapshotException {
    byte[] last = before;
    if (last == null || !Arrays.equals(last, order.last())) {
      throw misplaced("last key differs from the order index", offset);
    }
    endBlock(last);
  }

  private void beginBlock(byte[] key) throws CorruptSnapshotException {
    for (int level = 0; level < levels.length; level++) {
      if (isEdge(level)) {
        starts[level] = key;
        if (level > 0) {
          int entry = blocks >>> span(level);
          int node = levels[level - 1] + (entry >>> OrderIndex.FANOUT_BITS);
          int i = entry & (OrderIndex.FANOUT - 1);
          long expected = KeyOrder.head(key, order.skip(node));
          require("head", expected, order.head(node, i), "ORDER_INDEX node=" + node + " entry=", i);
        }
      }
    }
    blocks++;
  }

  /**
   * Checks the skips of the current block, and of the nodes that end with it.
   *
   * @param fence the first key after it, or the last key of the partition
   */
  private void endBlock(byte[] fence) throws CorruptSnapshotException {
    int block = blocks - 1;
    if (block < 0) {
      return;
    }
    for (int level = 0; level + 1 < levels.length; level++) {
      if (isEdge(level)) {
        int node = levels[level] + (int) ((long) block >>> span(level));
        int expected = KeyOrder.commonBytes(starts[level], fence);
        require("skip", expected, order.skip(node), "ORDER_INDEX node=", node);
      }
    }
    RecordHeads filter = heads;
    if (filter != null) {
      int expected = RecordHeads.skip(starts[levels.length - 1], fence);
      require("skip", expected, filter.skip(block), "HEADS block=", block);
    }
  }

  /** Returns whether a node of a level ends in front of the next block; at the lowest, a block. */
  private boolean isEdge(int level) {
    return (blocks & ((1L << span(level)) - 1)) == 0 || blocks == index.blockCount();
  }

  /** Returns the binary logarithm of the blocks of a node of a level; at the lowest, of a block. */
  private int span(int level) {
    return OrderIndex.FANOUT_BITS * (levels.length - 1 - level);
  }

  private void require(String what, long expected, long actual, String where, int at)
      throws CorruptSnapshotException {
    if (expected != actual) {
      throw new CorruptSnapshotException(
          "%s differs from the keys: file=%s section=%s%d expected=%x actual=%x; copy the file again from where it is sound, or rebuild the table"
              .formatted(what, file, where, at, expected, actual));
    }
  }

  private CorruptSnapshotException misplaced(String what, long offset) {
    return new CorruptSnapshotException(
        "%s: file=%s offset=%d record=%d; copy the file again from where it is sound, or rebuild the table"
            .formatted(what, file, offset, number));
  }
}
