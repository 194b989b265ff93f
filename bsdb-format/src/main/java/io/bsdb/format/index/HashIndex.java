package io.bsdb.format.index;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.PartitionProperties;
import io.bsdb.format.PartitionProperties.Codec;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.Block;
import io.bsdb.format.block.BlockHeader;
import io.bsdb.format.block.BlockIndex;
import io.bsdb.format.block.BlockReader;
import io.bsdb.format.hash.PerfectHash;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Finds single keys by a perfect hash, which gives a key its rank. In hash order ranks are the
 * order of the records; in key order {@link Positions} lead from there to the record's number. What
 * {@link #locate} returns is the block in the upper 32 bits and the record's number in the lower.
 */
public final class HashIndex implements KeyIndex {
  private final @Nullable PerfectHash hash;
  private final @Nullable Positions positions;

  /**
   * Replaced while lookups are in flight. Not volatile, which would cost every lookup: what is
   * replaced is immutable, and whoever frees it has a fence, and waits for the lookups before that.
   */
  private @Nullable Signatures signatures;

  private final BlockIndex index;
  private final BlockReader blocks;
  private final boolean framed;
  private final boolean encoded;
  private final int fixedRecordLength;

  /** Records per block where a record's place in it is mere arithmetic; else 0. */
  private final int fixedBlockRecords;

  /**
   * @param hash null if there are no records
   * @param positions null in hash order
   * @param signatures null if they are not to be looked at, or if there are none
   */
  public HashIndex(
      PartitionProperties properties,
      @Nullable PerfectHash hash,
      @Nullable Positions positions,
      @Nullable Signatures signatures,
      BlockIndex index,
      BlockReader blocks) {
    this.hash = hash;
    this.positions = positions;
    this.signatures = signatures;
    this.index = index;
    this.blocks = blocks;
    this.framed = properties.codec() == Codec.ZSTD;
    this.encoded = properties.codec() == Codec.SYMBOLS;
    boolean fixed = !framed && properties.hasFixedRecords();
    this.fixedRecordLength = fixed ? properties.fixedRecordLength() : 0;
    this.fixedBlockRecords = fixed ? index.uniformRecords() : 0;
  }

  @Override
  public long locate(byte[] key, long high, long low) {
    PerfectHash perfectHash = hash;
    if (perfectHash == null || key.length == 0 || key.length > SnapshotFormat.MAX_KEY_LENGTH) {
      return ABSENT;
    }
    int rank = perfectHash.rank(high, low);
    Positions byRank = positions;
    if (byRank != null) {
      rank = byRank.get(rank);
    }
    Signatures filter = signatures;
    if (filter != null && !filter.matches(rank, high)) {
      return ABSENT;
    }
    return (long) index.block(rank) << 32 | rank;
  }

  /**
   * Replaces the signatures. Lookups that began before may still read the former ones.
   *
   * @param replacement null if none are to be looked at
   */
  public void replaceSignatures(@Nullable Signatures replacement) {
    signatures = replacement;
  }

  @Override
  public @Nullable PerfectHash hash() {
    return hash;
  }

  @Override
  public int signatureBits() {
    Signatures filter = signatures;
    return filter == null ? 0 : filter.bits();
  }

  /** Returns the record's number: in hash order, its rank. */
  @Override
  public int record(long located) {
    return (int) located;
  }

  @Override
  public int placeOffset(long located) {
    if (fixedBlockRecords > 0) {
      return 0;
    }
    int slot = framed ? 0 : record(located) - index.firstRank(KeyIndex.block(located));
    return SnapshotFormat.BLOCK_HEADER_LENGTH + SnapshotFormat.SLOT_BYTES * slot;
  }

  @Override
  public long place(Block block, int base, long located) throws CorruptSnapshotException {
    int rank = record(located);
    if (fixedBlockRecords > 0) {
      int record = rank - KeyIndex.block(located) * fixedBlockRecords;
      int start = base + SnapshotFormat.BLOCK_HEADER_LENGTH + record * fixedRecordLength;
      return (long) start << 32 | fixedRecordLength;
    }
    ByteBuffer bytes = block.bytes();
    int first = index.firstRank(KeyIndex.block(located));
    int record = rank - first;
    if (framed) {
      return blocks.frame(bytes, base, record / BlockHeader.frameRecords(bytes, base));
    }
    // A verified block has as many records as the index has, which all lie in its body. Only the
    // last one, which ends with the body, waits for the header, a cache line of its own.
    int count = index.firstRank(KeyIndex.block(located) + 1) - first;
    int length = record + 1 == count ? BlockHeader.bodyLength(bytes, base) : Integer.MAX_VALUE;
    return blocks.record(bytes, base + SnapshotFormat.BLOCK_HEADER_LENGTH, length, count, record);
  }

  @Override
  public long find(Block block, int base, long located, byte[] key)
      throws CorruptSnapshotException {
    if (!framed) {
      return findRecord(block, located, place(block, base, located), key);
    }
    int record = record(located) - block.firstRank(base);
    int perFrame = block.frameRecords(base);
    int frame = record / perFrame;
    long opened = block.openFrame(blocks, base, frame);
    return findInFrame(block, base, record, frame * perFrame, opened, key);
  }

  @Override
  public long find(Block block, int base, long located, long place, byte[] key)
      throws CorruptSnapshotException {
    if (!framed) {
      return findRecord(block, located, place, key);
    }
    int record = record(located) - block.firstRank(base);
    int perFrame = block.frameRecords(base);
    int frame = record / perFrame;
    long opened = block.openFrameAt(blocks, base, frame, place);
    return findInFrame(block, base, record, frame * perFrame, opened, key);
  }

  private long findRecord(Block block, long located, long place, byte[] key)
      throws CorruptSnapshotException {
    if (!encoded) {
      return blocks.value(block.bytes(), place, key);
    }
    try {
      return block.value(blocks, place, key);
    } catch (CorruptSnapshotException | IndexOutOfBoundsException e) {
      throw blocks.undecodable(index.offset(KeyIndex.block(located)), record(located), e);
    }
  }

  /**
   * @param record its number within the block
   * @param first number of the frame's first record
   * @param opened where the frame's body lies
   */
  private long findInFrame(Block block, int base, int record, int first, long opened, byte[] key)
      throws CorruptSnapshotException {
    ByteBuffer body = block.body();
    int count = Math.min(block.frameRecords(base), block.recordCount(base) - first);
    long place = blocks.record(body, (int) (opened >>> 32), (int) opened, count, record - first);
    return blocks.value(body, place, key);
  }
}
