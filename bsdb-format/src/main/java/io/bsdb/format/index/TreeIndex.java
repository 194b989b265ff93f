package io.bsdb.format.index;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.Block;
import io.bsdb.format.block.BlockReader;

/**
 * Finds single keys in a partition in key order that has no perfect hash. Blocks are located by
 * {@link OrderIndex#search}, which may have to read some.
 */
public final class TreeIndex implements KeyIndex {
  private final OrderIndex order;
  private final BlockReader blocks;

  public TreeIndex(OrderIndex order, BlockReader blocks) {
    this.order = order;
    this.blocks = blocks;
  }

  @Override
  public long locate(byte[] key, long high, long low) {
    throw new IllegalStateException("a key without a perfect hash is located by a search");
  }

  @Override
  public boolean needsSearch() {
    return true;
  }

  @Override
  public int record(long located) {
    return -1;
  }

  /** Returns what stands for a key that was searched for. */
  public static long located(int block) {
    return (long) block << 32;
  }

  @Override
  public int placeOffset(long located) {
    return 0;
  }

  /** Returns the header of the block: which record it is needs a search. */
  @Override
  public long place(Block block, int base, long located) {
    return (long) base << 32 | SnapshotFormat.BLOCK_HEADER_LENGTH;
  }

  @Override
  public long find(Block block, int base, long located, long place, byte[] key)
      throws CorruptSnapshotException {
    int record = order.countBelow(block, base, KeyIndex.block(located), key);
    if (record == block.recordCount(base)) {
      return ABSENT;
    }
    long found = order.record(block, base, record);
    return blocks.value(block.body(), found, key); // the body is there once the record is opened
  }
}
