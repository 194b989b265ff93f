package io.bsdb.format.index;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.PartitionProperties;
import io.bsdb.format.PartitionProperties.Codec;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.Block;
import io.bsdb.format.block.BlockHeader;
import io.bsdb.format.block.BlockIndex;
import io.bsdb.format.block.BlockReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds where a key stands among the records of a partition in key order: a tree over the first
 * keys of the blocks, 16 to a node, then a search in one block.
 *
 * <p>A node stores eight bytes of each key, its <i>head</i>, after the bytes that all keys share
 * which can lead there: a key between two others begins with whatever both begin with, so that
 * these bytes, however many, need no comparison. A node takes two or three cache lines. Where heads
 * are equal, the first keys of those blocks are compared in full.
 *
 * <p>Immutable and safe for many threads. Read from the section's own bytes, which {@link #encode}
 * makes.
 */
public final class OrderIndex {
  static final int FANOUT_BITS = 4;
  static final int FANOUT = 1 << FANOUT_BITS;
  private static final int BLOCK_COUNT = 0;
  private static final int FIRST_LENGTH = 4;
  private static final int LAST_LENGTH = 8;
  private static final int KEYS = 16;
  private static final int PREFETCHED = 8;

  /** A value that no sum of prefetched bytes can reach. */
  private static final int NEVER = Integer.MIN_VALUE;

  private static final int NODE_BYTES = FANOUT * Long.BYTES;

  private final ByteBuffer section;
  private final byte[] first;
  private final byte[] last;
  private final int blockCount;

  /** The number of the first node of each level, from the root down; last, of all nodes. */
  private final int[] levels;

  private final int nodes;
  private final int skips;
  private final BlockReader blocks;
  private final BlockIndex index;
  private final int fixedKeyLength;
  private final boolean framed;
  private final @Nullable RecordHeads heads;

  private OrderIndex(
      ByteBuffer section,
      PartitionProperties properties,
      BlockIndex index,
      BlockReader blocks,
      @Nullable RecordHeads heads) {
    this.section = section;
    this.index = index;
    this.blocks = blocks;
    this.heads = heads;
    this.framed = properties.codec() == Codec.ZSTD;
    this.fixedKeyLength = properties.keyLength();
    this.blockCount = section.getInt(BLOCK_COUNT);
    this.levels = levels(blockCount);
    this.first = new byte[section.getInt(FIRST_LENGTH)];
    this.last = new byte[section.getInt(LAST_LENGTH)];
    section.get(KEYS, first);
    section.get(KEYS + first.length, last);
    this.nodes = aligned(KEYS + first.length + last.length);
    this.skips = nodes + NODE_BYTES * levels[levels.length - 1];
  }

  /**
   * Opens the section.
   *
   * @param heads null if there are none
   * @param file named in errors
   */
  public static OrderIndex open(
      ByteBuffer section,
      PartitionProperties properties,
      BlockIndex index,
      BlockReader blocks,
      @Nullable RecordHeads heads,
      String file)
      throws CorruptSnapshotException {
    ByteBuffer bytes = section.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    boolean sound = bytes.limit() >= KEYS && bytes.getInt(BLOCK_COUNT) == index.blockCount();
    if (sound) {
      int firstLength = bytes.getInt(FIRST_LENGTH);
      int lastLength = bytes.getInt(LAST_LENGTH);
      int[] levels = levels(index.blockCount());
      sound =
          isKeyLength(firstLength)
              && isKeyLength(lastLength)
              && bytes.limit()
                  == aligned(KEYS + firstLength + lastLength)
                      + (NODE_BYTES + (long) Short.BYTES) * levels[levels.length - 1];
    }
    if (!sound) {
      throw new CorruptSnapshotException(
          "order index contradicts its file: file=%s length=%d blocks=%d"
              .formatted(file, bytes.limit(), index.blockCount()));
    }
    OrderIndex order = new OrderIndex(bytes, properties, index, blocks, heads);
    order.requireAscending(file);
    return order;
  }

  private static boolean isKeyLength(int length) {
    return length >= 1 && length <= SnapshotFormat.MAX_KEY_LENGTH;
  }

  private static int aligned(int length) {
    return (length + Long.BYTES - 1) & -Long.BYTES;
  }

  private static int[] levels(int blockCount) {
    int[] counts = new int[1 + Integer.SIZE / FANOUT_BITS];
    int depth = 0;
    int entries = blockCount;
    do {
      entries = (entries + FANOUT - 1) >>> FANOUT_BITS;
      counts[depth++] = entries;
    } while (entries > 1);
    int[] levels = new int[depth + 1];
    for (int level = 0; level < depth; level++) {
      levels[level + 1] = levels[level] + counts[depth - 1 - level];
    }
    return levels;
  }

  private void requireAscending(String file) throws CorruptSnapshotException {
    boolean ascending = Arrays.compareUnsigned(first, last) <= 0;
    for (int level = 0; level + 1 < levels.length; level++) {
      for (int node = levels[level]; node < levels[level + 1]; node++) {
        int count = entries(level, node - levels[level]);
        for (int i = 1; i < count; i++) {
          ascending &= Long.compareUnsigned(head(node, i - 1), head(node, i)) <= 0;
        }
      }
    }
    if (!ascending) {
      throw new CorruptSnapshotException("order index descends: file=" + file);
    }
  }

  /** Returns how many blocks below a level's entry lie. */
  private int span(int level) {
    return FANOUT_BITS * (levels.length - 2 - level);
  }

  /** Returns how many entries a node has. */
  private int entries(int level, int nodeInLevel) {
    long below = 1L << span(level);
    long all = (blockCount + below - 1) >>> span(level);
    return (int) Math.min(FANOUT, all - FANOUT * (long) nodeInLevel);
  }

  /** Returns the head of an entry of a node. */
  long head(int node, int i) {
    return Long.reverseBytes(section.getLong(nodes + NODE_BYTES * node + Long.BYTES * i));
  }

  /** Returns how many leading bytes of keys the heads of a node leave out. */
  int skip(int node) {
    return section.getShort(skips + Short.BYTES * node) & 0xFFFF;
  }

  /** Returns a copy of the first key of the partition. */
  public byte[] first() {
    return first.clone();
  }

  /** Returns a copy of the last key of the partition. */
  public byte[] last() {
    return last.clone();
  }

  /**
   * Returns where a key stands: negative below the first key, positive above the last one, else 0.
   */
  public int side(byte[] key) {
    return Arrays.compareUnsigned(key, first) < 0
        ? -1
        : Arrays.compareUnsigned(key, last) > 0 ? 1 : 0;
  }

  /** Begins a check of the records. */
  public OrderVerifier verifier() {
    return new OrderVerifier(this, levels, index, heads, blocks.file());
  }

  /** Begins to search for a key whose {@link #side} is 0. */
  public Search search(byte[] key) {
    return new Search(key);
  }

  /**
   * A search for the block whose first key is the greatest that is not above a key. Used by one
   * thread.
   */
  public final class Search {
    private final byte[] key;
    private int level;
    private int node;

    /** The last entry of the node whose key is known not to be above the key. */
    private int low;

    /** The first entry of the node whose key is known to be above the key. */
    private int high;

    private Search(byte[] key) {
      this.key = key;
      enter();
    }

    /** Looks at a node, of whose first entry it is known that it is not above the key. */
    private void enter() {
      int number = levels[level] + node;
      int count = entries(level, node);
      int skip = skip(number);
      long wanted = KeyOrder.head(key, skip) ^ Long.MIN_VALUE;
      int below = 0;
      int through = 0;
      for (int i = 0; i < count; i++) {
        long head = head(number, i) ^ Long.MIN_VALUE;
        below += head < wanted ? 1 : 0;
        through += head <= wanted ? 1 : 0;
      }
      low = Math.max(0, below - 1);
      high = Math.max(1, through);
      if (high - low > 1 && fixedKeyLength > 0 && fixedKeyLength <= skip + Long.BYTES) {
        // Heads hold the rest of the keys.
        if (key.length >= fixedKeyLength) {
          low = high - 1;
        } else {
          high = low + 1;
        }
      }
    }

    /**
     * Returns a block with whose first key the key must be compared for the search to go on; −1 if
     * it has ended.
     */
    public int undecided() {
      while (high - low == 1) {
        node = FANOUT * node + low;
        if (level + 2 == levels.length) {
          low = 0;
          high = 0;
        } else {
          level++;
          enter();
        }
      }
      return high == 0 ? -1 : (FANOUT * node + ((low + high) >>> 1)) << span(level);
    }

    /**
     * Goes on.
     *
     * @param above whether the first key of the undecided block is above the key
     */
    public void decide(boolean above) {
      int middle = (low + high) >>> 1;
      if (above) {
        high = middle;
      } else {
        low = middle;
      }
    }

    /** Returns the block, once the search has ended. */
    public int block() {
      return node;
    }
  }

  /**
   * Returns where a record lies in the body of its block, whose frame it opens.
   *
   * @param base where the block starts in its buffer
   * @param record its number within the block
   */
  public long record(Block block, int base, int record) throws CorruptSnapshotException {
    int count = block.recordCount(base);
    if (!framed) {
      return blocks.record(
          block.bytes(),
          base + SnapshotFormat.BLOCK_HEADER_LENGTH,
          BlockHeader.bodyLength(block.bytes(), base),
          count,
          record);
    }
    int perFrame = block.frameRecords(base);
    int frame = record / perFrame;
    long opened = block.openFrame(blocks, base, frame);
    int inFrame = Math.min(perFrame, count - frame * perFrame);
    return blocks.record(
        block.body(), (int) (opened >>> 32), (int) opened, inFrame, record - frame * perFrame);
  }

  /**
   * Compares the key of a record with another.
   *
   * @return negative, zero or positive, as the record's key is less, equal or greater
   */
  public int compare(Block block, int base, int record, byte[] key)
      throws CorruptSnapshotException {
    long place = record(block, base, record);
    ByteBuffer body = block.body();
    long stored = blocks.key(body, place);
    return KeyOrder.compare(body, (int) (stored >>> 32), (int) stored, key);
  }

  /**
   * Returns how many records of a block have keys below a key whose search led to the block.
   *
   * @param number of the block
   */
  public int countBelow(Block block, int base, int number, byte[] key)
      throws CorruptSnapshotException {
    return count(block, base, number, key, 0);
  }

  /** Returns how many records of a block have keys that are not above a key; as countBelow. */
  public int countThrough(Block block, int base, int number, byte[] key)
      throws CorruptSnapshotException {
    return count(block, base, number, key, 1);
  }

  /**
   * @param least what comparison with the key a record must stay below to count
   */
  private int count(Block block, int base, int number, byte[] key, int least)
      throws CorruptSnapshotException {
    int low = 0;
    int high = recordCount(block, base, number);
    RecordHeads filter = heads;
    if (filter != null) {
      int firstRank = index.firstRank(number);
      int head = filter.headOf(key, number);
      low = filter.first(firstRank, firstRank + high, head) - firstRank;
      high = filter.first(firstRank + low, firstRank + high, head + 1) - firstRank;
    }
    if (!framed && high - low > PREFETCHED) {
      prefetch(block, base, low, high);
    }
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compare(block, base, middle, key) < least) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns how many records a block has, if possible without waiting for its first cache line. */
  private int recordCount(Block block, int base, int number) {
    int uniform = index.uniformRecords();
    return uniform > 0 && number + 1 < blockCount ? uniform : block.recordCount(base);
  }

  /**
   * Reads a byte of each record that the first three steps of a binary search may compare, so that
   * their cache misses overlap, where the steps would wait for one after the other.
   */
  private void prefetch(Block block, int base, int low, int high) throws CorruptSnapshotException {
    ByteBuffer bytes = block.bytes();
    int sum = 0;
    for (int i = 1; i < PREFETCHED; i++) {
      int record = low + (int) ((long) (high - low) * i / PREFETCHED);
      sum += bytes.get((int) (record(block, base, record) >>> 32));
    }
    if (sum == NEVER) {
      Thread.onSpinWait(); // so that the bytes are read
    }
  }

  /**
   * Returns the section's bytes.
   *
   * @param keys of all records
   * @param count how many records
   * @param index of their blocks
   */
  public static ByteBuffer encode(IntFunction<byte[]> keys, int count, BlockIndex.Builder index) {
    byte[] first = keys.apply(0);
    byte[] last = keys.apply(count - 1);
    int blockCount = index.count();
    int[] levels = levels(blockCount);
    int all = levels[levels.length - 1];
    int nodes = aligned(KEYS + first.length + last.length);
    ByteBuffer section =
        ByteBuffer.allocate(nodes + (NODE_BYTES + Short.BYTES) * all)
            .order(ByteOrder.LITTLE_ENDIAN);
    section.putInt(BLOCK_COUNT, blockCount);
    section.putInt(FIRST_LENGTH, first.length).putInt(LAST_LENGTH, last.length);
    section.put(KEYS, first).put(KEYS + first.length, last);
    for (int level = 0; level + 1 < levels.length; level++) {
      long below = 1L << (FANOUT_BITS * (levels.length - 2 - level));
      for (int node = levels[level]; node < levels[level + 1]; node++) {
        long start = FANOUT * below * (node - levels[level]);
        long end = start + FANOUT * below;
        byte[] fence = end < blockCount ? keys.apply(index.firstRank((int) end)) : last;
        int skip = KeyOrder.commonBytes(keys.apply(index.firstRank((int) start)), fence);
        section.putShort(nodes + NODE_BYTES * all + Short.BYTES * node, (short) skip);
        for (int i = 0; i < FANOUT && start + i * below < blockCount; i++) {
          byte[] key = keys.apply(index.firstRank((int) (start + i * below)));
          section.putLong(
              nodes + NODE_BYTES * node + Long.BYTES * i,
              Long.reverseBytes(KeyOrder.head(key, skip)));
        }
      }
    }
    return section;
  }
}
