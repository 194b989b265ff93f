package io.bsdb.format.index;

import io.bsdb.format.CorruptSnapshotException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The positions section of a partition in key order: the record number of each rank of its perfect
 * hash, in as few bits as hold the greatest, packed without gaps from the lowest bit on. Read from
 * the section's own bytes; immutable and safe for many threads; allocates nothing.
 */
public final class Positions {
  /** Bytes after the last position, so that each can be read as part of a 64-bit word. */
  private static final int PADDING = 8;

  private final ByteBuffer section;
  private final int bits;
  private final int mask;

  private Positions(ByteBuffer section, int bits) {
    this.section = section;
    this.bits = bits;
    this.mask = (1 << bits) - 1;
  }

  /** Opens the section of a partition with {@code count} records. */
  public static Positions open(ByteBuffer section, int count, String file)
      throws CorruptSnapshotException {
    if (section.limit() != length(count)) {
      throw new CorruptSnapshotException(
          "length of the positions does not match their records: file=%s expected=%d actual=%d"
              .formatted(file, length(count), section.limit()));
    }
    Positions positions =
        new Positions(section.duplicate().order(ByteOrder.LITTLE_ENDIAN), bits(count));
    for (int rank = 0; rank < count; rank++) {
      if (positions.get(rank) >= count) {
        throw new CorruptSnapshotException(
            "position out of range: file=%s rank=%d expected<%d actual=%d"
                .formatted(file, rank, count, positions.get(rank)));
      }
    }
    return positions;
  }

  private static int bits(int count) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(count - 1);
  }

  private static int length(int count) {
    return (int) (((long) count * bits(count) + 7) / 8) + PADDING;
  }

  /** Returns the number of the record whose key has this rank. */
  public int get(int rank) {
    long bit = (long) rank * bits;
    return (int) (section.getLong((int) (bit >>> 3)) >>> (bit & 7)) & mask;
  }

  /** Returns the section's bytes, given the record number of each rank. */
  public static ByteBuffer encode(int[] records, int count) {
    ByteBuffer section = ByteBuffer.allocate(length(count)).order(ByteOrder.LITTLE_ENDIAN);
    int bits = bits(count);
    for (int rank = 0; rank < count; rank++) {
      long bit = (long) rank * bits;
      int at = (int) (bit >>> 3);
      section.putLong(at, section.getLong(at) | ((long) records[rank] << (bit & 7)));
    }
    return section;
  }
}
