package io.bsdb.format.index;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.block.BlockIndex;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntFunction;

/**
 * The heads section of a partition in key order whose blocks have frames: 15 bits of each record's
 * key, from the first bit on in which the keys of its block differ, so that a search in the block
 * decompresses one frame and not several. Read from the section's own bytes; immutable and safe for
 * many threads.
 */
public final class RecordHeads {
  private static final int BITS = 15;
  private static final int MASK = (1 << BITS) - 1;
  private static final int MAX_SKIP = 0xFFFF;

  /** Bytes after the last head, so that each can be read as part of a 32-bit word. */
  private static final int PADDING = 4;

  private final ByteBuffer section;
  private final int heads;

  private RecordHeads(ByteBuffer section, int heads) {
    this.section = section;
    this.heads = heads;
  }

  /** Opens the section of a partition with {@code count} records in the blocks of an index. */
  public static RecordHeads open(ByteBuffer section, int count, BlockIndex index, String file)
      throws CorruptSnapshotException {
    int blocks = index.blockCount();
    if (section.limit() != length(count, blocks)) {
      throw new CorruptSnapshotException(
          "length of the heads does not match their records: file=%s expected=%d actual=%d"
              .formatted(file, length(count, blocks), section.limit()));
    }
    RecordHeads heads =
        new RecordHeads(section.duplicate().order(ByteOrder.LITTLE_ENDIAN), Short.BYTES * blocks);
    for (int block = 0; block < blocks; block++) {
      int end = index.firstRank(block + 1);
      for (int record = index.firstRank(block) + 1; record < end; record++) {
        if (heads.head(record - 1) > heads.head(record)) {
          throw new CorruptSnapshotException(
              "heads descend: file=%s block=%d record=%d".formatted(file, block, record));
        }
      }
    }
    return heads;
  }

  private static long length(int count, int blocks) {
    return Short.BYTES * (long) blocks + ((long) count * BITS + 7) / 8 + PADDING;
  }

  /** Returns the head of a record. */
  int head(int record) {
    long bit = (long) record * BITS;
    return (section.getInt(heads + (int) (bit >>> 3)) >>> (bit & 7)) & MASK;
  }

  /** Returns the head that a key would have in a block. */
  int headOf(byte[] key, int block) {
    return headAt(key, skip(block));
  }

  /** Returns how many leading bits of the keys of a block their heads leave out. */
  int skip(int block) {
    return section.getShort(Short.BYTES * block) & 0xFFFF;
  }

  /** Returns the skip of a block, given its first key and the first one after it. */
  static int skip(byte[] first, byte[] fence) {
    return Math.min(MAX_SKIP, KeyOrder.commonBits(first, fence));
  }

  private static int headAt(byte[] key, int skip) {
    long bits = KeyOrder.head(key, skip >>> 3);
    return (int) (bits >>> (Long.SIZE - BITS - (skip & 7))) & MASK;
  }

  /** Returns the first record of {@code [from, end)} whose head is at least this one, or end. */
  int first(int from, int end, int head) {
    int low = from;
    int high = end;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (head(middle) < head) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns the section's bytes. */
  public static ByteBuffer encode(IntFunction<byte[]> keys, int count, BlockIndex.Builder index) {
    int blocks = index.count();
    ByteBuffer section =
        ByteBuffer.allocate(Math.toIntExact(length(count, blocks))).order(ByteOrder.LITTLE_ENDIAN);
    int heads = Short.BYTES * blocks;
    for (int block = 0; block < blocks; block++) {
      int first = index.firstRank(block);
      int end = block + 1 < blocks ? index.firstRank(block + 1) : count;
      byte[] fence = keys.apply(Math.min(end, count - 1));
      int skip = skip(keys.apply(first), fence);
      section.putShort(Short.BYTES * block, (short) skip);
      for (int record = first; record < end; record++) {
        long bit = (long) record * BITS;
        int at = heads + (int) (bit >>> 3);
        section.putInt(at, section.getInt(at) | headAt(keys.apply(record), skip) << (bit & 7));
      }
    }
    return section;
  }
}
