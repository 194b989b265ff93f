package io.bsdb.format.index;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.hash.KeyHash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The signatures section: for each rank, 0 to 32 bits of the hash of the key that has it, packed
 * without gaps from the lowest bit on. An absent key, which the perfect hash sends to an arbitrary
 * rank, passes with probability 2^−bits. Read from the section's own bytes; immutable and safe for
 * many threads; allocates nothing.
 */
public final class Signatures {
  /** Bytes behind the last signature, so that each can be read as part of a 64-bit word. */
  private static final int PADDING = 8;

  private final ByteBuffer section;
  private final int bits;

  private Signatures(ByteBuffer section, int bits) {
    this.section = section;
    this.bits = bits;
  }

  /** Opens the section of a partition with {@code count} records. */
  public static Signatures open(ByteBuffer section, int count, int bits, String file)
      throws CorruptSnapshotException {
    if (section.limit() != length(count, bits)) {
      throw new CorruptSnapshotException(
          "signatures have another length than their records: file=%s expected=%d actual=%d"
              .formatted(file, length(count, bits), section.limit()));
    }
    return new Signatures(section.duplicate().order(ByteOrder.LITTLE_ENDIAN), bits);
  }

  private static long length(int count, int bits) {
    return ((long) count * bits + 7) / 8 + PADDING;
  }

  /**
   * Returns whether the key with this rank may be the one with this hash: false only if it is
   * another.
   */
  public boolean matches(int rank, long hashHigh) {
    long bit = (long) rank * bits;
    int stored = (int) ((section.getLong((int) (bit >>> 3)) >>> (bit & 7)) & ((1L << bits) - 1));
    return stored == KeyHash.signature(hashHigh, bits);
  }

  /** Fills a section. Not safe for several threads. */
  public static final class Builder {
    private final ByteBuffer section;
    private final int bits;

    public Builder(int count, int bits) {
      this.bits = bits;
      this.section =
          ByteBuffer.allocate(Math.toIntExact(length(count, bits))).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Sets the signature of a rank, once. */
    public void set(int rank, long hashHigh) {
      long bit = (long) rank * bits;
      int position = (int) (bit >>> 3);
      long signature = KeyHash.signature(hashHigh, bits) & 0xFFFFFFFFL;
      section.putLong(position, section.getLong(position) | (signature << (bit & 7)));
    }

    /** Returns the section's bytes. */
    public ByteBuffer section() {
      return section;
    }
  }
}
