package io.bsdb.format.block;

import io.bsdb.format.CorruptSnapshotException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Rank to block, block to offset: the block index section. Where all blocks but the last hold
 * equally many records it is a division, where all have one length a multiplication; else the
 * section has a {@link MonotoneSequence} for each, together about 9 bits per block of 4 KiB, or 0.3
 * bits per record of 100 bytes. Offsets are read from there. First ranks are decoded, 34 bits per
 * block, as every lookup searches them: it guesses the block, in proportion between samples, and is
 * a step or two away from it.
 *
 * <p>Immutable and safe for many threads; allocates nothing per call.
 */
public final class BlockIndex {
  private static final int BLOCK_COUNT = 0;
  private static final int UNIFORM_RECORDS = 4;
  private static final int UNIFORM_LENGTH = 8;
  private static final int BLOCKS_LENGTH = 16;
  private static final int HEADER_LENGTH = 24;
  private static final int SAMPLED_BLOCKS = 16;
  private static final int[] NONE = {};

  private final int recordCount;
  private final int blockCount;
  private final int uniformRecords;
  private final long uniformLength;
  private final long blocksLength;
  private final @Nullable MonotoneSequence offsets;
  private final int alignment;

  /** Where records per block differ: the first rank of each block, then the number of records. */
  private final int[] firstRanks;

  /** The block of each rank that is a multiple of 2^{@link #sampleBits}, then the last block. */
  private final int[] samples;

  private final int sampleBits;

  private BlockIndex(ByteBuffer section, int recordCount, int alignment, String file)
      throws CorruptSnapshotException {
    this.recordCount = recordCount;
    this.alignment = alignment;
    blockCount = section.getInt(BLOCK_COUNT);
    uniformRecords = section.getInt(UNIFORM_RECORDS);
    uniformLength = section.getLong(UNIFORM_LENGTH);
    blocksLength = section.getLong(BLOCKS_LENGTH);
    int position = HEADER_LENGTH;
    if (uniformRecords == 0) {
      MonotoneSequence sequence = MonotoneSequence.open(slice(section, position), file);
      position += sequence.length();
      firstRanks = firstRanks(sequence, recordCount, file);
      sampleBits = sampleBits(recordCount, sequence.count());
      samples = samples(firstRanks, sampleBits);
    } else {
      firstRanks = NONE;
      sampleBits = 0;
      samples = NONE;
    }
    offsets = uniformLength == 0 ? MonotoneSequence.open(slice(section, position), file) : null;
  }

  private static int[] firstRanks(MonotoneSequence sequence, int recordCount, String file)
      throws CorruptSnapshotException {
    int count = sequence.count();
    if (count == 0 || count > recordCount) {
      throw new CorruptSnapshotException(
          "block index has an impossible number of blocks: file=%s blocks=%d records=%d"
              .formatted(file, count, recordCount));
    }
    int[] ranks = new int[count + 1];
    ranks[count] = recordCount;
    for (int i = 0; i < count; i++) {
      long rank = sequence.get(i);
      if (rank >= recordCount || (i == 0 ? rank != 0 : rank <= ranks[i - 1])) {
        throw new CorruptSnapshotException(
            "block index has a first rank out of order: file=%s block=%d actual=%d records=%d"
                .formatted(file, i, rank, recordCount));
      }
      ranks[i] = (int) rank;
    }
    return ranks;
  }

  private static int sampleBits(int recordCount, int blockCount) {
    long records = (long) SAMPLED_BLOCKS * recordCount / blockCount;
    return Math.min(31, 63 - Long.numberOfLeadingZeros(records));
  }

  private static int[] samples(int[] firstRanks, int bits) {
    int last = firstRanks.length - 2;
    int[] samples = new int[((firstRanks[last + 1] - 1) >>> bits) + 2];
    for (int i = 0, block = 0; i < samples.length - 1; i++) {
      while (firstRanks[block + 1] <= (i << bits)) {
        block++;
      }
      samples[i] = block;
    }
    samples[samples.length - 1] = last;
    return samples;
  }

  /** Returns the index of a partition without records. */
  public static BlockIndex empty() {
    ByteBuffer section = ByteBuffer.allocate(HEADER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    section.putInt(UNIFORM_RECORDS, 1).putLong(UNIFORM_LENGTH, 1);
    try {
      return new BlockIndex(section, 0, 1, "");
    } catch (CorruptSnapshotException e) {
      throw new IllegalStateException("the index of no blocks is sound", e);
    }
  }

  /**
   * Opens the section and checks that it describes {@code recordCount} records in {@code
   * blocksLength} bytes.
   *
   * @param alignment what block offsets are multiples of
   * @param file named in errors
   */
  public static BlockIndex open(
      ByteBuffer section, int recordCount, long blocksLength, int alignment, String file)
      throws CorruptSnapshotException {
    if (section.limit() < HEADER_LENGTH) {
      throw new CorruptSnapshotException(
          "block index too short: file=%s length=%d".formatted(file, section.limit()));
    }
    BlockIndex index =
        new BlockIndex(
            section.duplicate().order(ByteOrder.LITTLE_ENDIAN), recordCount, alignment, file);
    if (!index.fits(recordCount, blocksLength)) {
      throw new CorruptSnapshotException(
          "block index contradicts its file: file=%s blocks=%d records=%d blocks length=%d indexed length=%d"
              .formatted(file, index.blockCount, recordCount, blocksLength, index.blocksLength));
    }
    return index;
  }

  private boolean fits(int recordCount, long length) {
    if (blockCount < 0
        || blockCount > recordCount
        || (blockCount == 0) != (recordCount == 0)
        || blocksLength != length) {
      return false;
    }
    if (uniformRecords < 0
        || uniformLength < 0
        || uniformLength % alignment != 0
        || length % alignment != 0) {
      return false;
    }
    if (recordCount > 0
        && uniformRecords > 0
        && (recordCount - 1) / uniformRecords != blockCount - 1) {
      return false;
    }
    if (blockCount > 1 && offsets == null && uniformLength > length / (blockCount - 1)) {
      return false;
    }
    return (uniformRecords > 0 || firstRanks.length == blockCount + 1)
        && (offsets == null || offsets.count() == blockCount);
  }

  private static ByteBuffer slice(ByteBuffer section, int position) {
    return section.slice(position, section.limit() - position).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns how many blocks. */
  public int blockCount() {
    return blockCount;
  }

  /** Records per block, the last excepted; 0 if blocks differ. */
  public int uniformRecords() {
    return uniformRecords;
  }

  /** Returns the block that holds this rank. */
  public int block(int rank) {
    if (uniformRecords > 0) {
      return rank / uniformRecords;
    }
    int sample = rank >>> sampleBits;
    int low = samples[sample];
    long rest = rank & ((1 << sampleBits) - 1);
    int block = low + (int) ((rest * (samples[sample + 1] - low)) >>> sampleBits);
    while (firstRanks[block] > rank) {
      block--;
    }
    while (firstRanks[block + 1] <= rank) {
      block++;
    }
    return block;
  }

  /**
   * Returns the rank of the first record of a block. For {@code block == blockCount()}: the number
   * of records.
   */
  public int firstRank(int block) {
    return uniformRecords == 0
        ? firstRanks[block]
        : (int) Math.min((long) block * uniformRecords, recordCount);
  }

  /**
   * Returns where a block starts, in bytes from the first block. For {@code block == blockCount()}:
   * where the last one ends.
   */
  public long offset(int block) {
    if (block == blockCount) {
      return blocksLength;
    }
    MonotoneSequence sequence = offsets;
    return sequence == null ? block * uniformLength : sequence.get(block) * alignment;
  }

  /** Collects blocks in order and encodes the section. Not safe for several threads. */
  public static final class Builder {
    private final int alignment;
    private long[] firstRanks = new long[64];
    private long[] offsets = new long[64];
    private int count;

    public Builder(int alignment) {
      this.alignment = alignment;
    }

    /** Adds the next block. */
    public void add(int firstRank, long offset) {
      if (count == firstRanks.length) {
        firstRanks = Arrays.copyOf(firstRanks, 2 * count);
        offsets = Arrays.copyOf(offsets, 2 * count);
      }
      firstRanks[count] = firstRank;
      offsets[count++] = offset / alignment;
    }

    /** Returns how many blocks there are so far. */
    public int count() {
      return count;
    }

    /** Returns the number of a block's first record. */
    public int firstRank(int block) {
      return (int) firstRanks[block];
    }

    /** Returns the section's bytes, given where the last block ends. */
    public ByteBuffer encode(int recordCount, long blocksLength) {
      long records = count > 1 ? firstRanks[1] : Math.max(1, recordCount);
      long length = count > 1 ? offsets[1] * alignment : Math.max(1, blocksLength);
      for (int i = 1; i < count; i++) {
        if (firstRanks[i] != i * records) {
          records = 0;
        }
        if (offsets[i] * alignment != i * length) {
          length = 0;
        }
      }
      if (records > 0 && count > 0 && recordCount - firstRanks[count - 1] > records) {
        records = 0;
      }
      ByteBuffer ranks =
          records == 0 ? MonotoneSequence.encode(firstRanks, count) : ByteBuffer.allocate(0);
      ByteBuffer places =
          length == 0 ? MonotoneSequence.encode(offsets, count) : ByteBuffer.allocate(0);
      ByteBuffer section =
          ByteBuffer.allocate(HEADER_LENGTH + ranks.limit() + places.limit())
              .order(ByteOrder.LITTLE_ENDIAN);
      section.putInt(BLOCK_COUNT, count).putInt(UNIFORM_RECORDS, (int) records);
      section.putLong(UNIFORM_LENGTH, length).putLong(BLOCKS_LENGTH, blocksLength);
      section.position(HEADER_LENGTH).put(ranks).put(places).flip();
      return section;
    }
  }
}
