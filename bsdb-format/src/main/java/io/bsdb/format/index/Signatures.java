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
  /** Bytes after the last signature, so that each can be read as part of a 64-bit word. */
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
    requireLength(section.limit(), count, bits, file);
    return new Signatures(section.duplicate().order(ByteOrder.LITTLE_ENDIAN), bits);
  }

  /** Checks the length of the section of a partition with {@code count} records. */
  public static void requireLength(long actual, int count, int bits, String file)
      throws CorruptSnapshotException {
    if (actual != length(count, bits)) {
      throw new CorruptSnapshotException(
          "length of the signatures does not match their records: file=%s expected=%d actual=%d"
              .formatted(file, length(count, bits), actual));
    }
  }

  /** Returns the bytes of a section of {@code count} signatures. */
  public static long length(int count, int bits) {
    return ((long) count * bits + 7) / 8 + PADDING;
  }

  /**
   * Copies the lowest bits of signatures that lie one after the other.
   *
   * @param from holds signatures of {@code fromBits} from index {@code fromStart} on, and may be
   *     read 7 bytes beyond the last one
   * @param to gets signatures of {@code toBits}, at most {@code fromBits}, from index {@code
   *     toStart} on, where it is overwritten up to the next multiple of 8 bytes
   */
  public static void pack(
      ByteBuffer from, int fromStart, int fromBits, ByteBuffer to, int toStart, int toBits, int n) {
    long mask = (1L << toBits) - 1;
    long word = 0;
    int filled = 0;
    int position = toStart;
    long bit = 8L * fromStart;
    for (int i = 0; i < n; i++, bit += fromBits) {
      long signature = (from.getLong((int) (bit >>> 3)) >>> (bit & 7)) & mask;
      word |= signature << filled;
      filled += toBits;
      if (filled >= Long.SIZE) {
        to.putLong(position, word);
        position += Long.BYTES;
        filled -= Long.SIZE;
        word = filled == 0 ? 0 : signature >>> (toBits - filled);
      }
    }
    if (filled > 0) {
      to.putLong(position, word);
    }
  }

  /** Returns the bits of each signature. */
  int bits() {
    return bits;
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
