package io.bsdb.row;

import static io.bsdb.format.SnapshotFormat.MAX_KEY_LENGTH;

import java.util.Arrays;

/** The bytes of a key while it is written. What is too long for a key is counted, not stored. */
final class KeyBuffer {
  private static final int INITIAL_CAPACITY = 64;

  private final boolean sorted;
  private final boolean framed;
  private byte[] bytes = new byte[INITIAL_CAPACITY];
  private long length; // also counts what did not fit

  /**
   * @param columns of the key
   */
  KeyBuffer(KeyEncoding encoding, int columns) {
    this.sorted = encoding == KeyEncoding.ORDERED;
    this.framed = !sorted && columns > 1;
  }

  void clear() {
    length = 0;
  }

  long length() {
    return length;
  }

  /** Returns the array, which {@link #reserve} may replace. */
  byte[] bytes() {
    return bytes;
  }

  /**
   * Makes room; where a key is already too long, at the start of the buffer, whose content does not
   * matter then.
   *
   * @return where the room begins
   */
  int reserve(int count) {
    int at = length > MAX_KEY_LENGTH ? 0 : (int) length;
    length += count;
    if (bytes.length - at < count) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, at + count));
    }
    return at;
  }

  /** Makes room for a variable column, after its length where a key needs that. */
  private int reserveVariable(int count) {
    if (framed) {
      int at = reserve(Short.BYTES);
      BigEndian.putShort(bytes, at, (short) count);
    }
    return reserve(count);
  }

  /**
   * Appends a text or bytes.
   *
   * @param isLast whether no column follows
   */
  void append(byte[] source, int offset, int count, boolean isLast) {
    if (count > MAX_KEY_LENGTH) {
      int at = reserve(MAX_KEY_LENGTH);
      System.arraycopy(source, offset, bytes, at, MAX_KEY_LENGTH);
      length += count - MAX_KEY_LENGTH; // the key will not fit
    } else if (sorted && !isLast) {
      appendEnded(source, offset, count);
    } else {
      int at = reserveVariable(count);
      System.arraycopy(source, offset, bytes, at, count);
    }
  }

  /** Appends what a column follows, so that a shorter one sorts before all that begin with it. */
  private void appendEnded(byte[] source, int offset, int count) {
    int zeros = 0;
    for (int i = offset; i < offset + count; i++) {
      zeros += source[i] == 0 ? 1 : 0;
    }
    int at = reserve(count + zeros + Short.BYTES);
    byte[] target = bytes;
    for (int i = offset; i < offset + count; i++) {
      byte octet = source[i];
      target[at++] = octet;
      if (octet == 0) {
        target[at++] = KeyEncoding.ESCAPED;
      }
    }
    target[at++] = 0;
    target[at] = KeyEncoding.END;
  }

  /** Appends two's complement in a column's full width, with its sign flipped. */
  void appendSortable(byte[] complement, int width) {
    int at = reserve(width);
    Arrays.fill(bytes, at, at + width, (byte) (complement[0] >> 7));
    System.arraycopy(complement, 0, bytes, at + width - complement.length, complement.length);
    bytes[at] ^= (byte) 0x80;
  }

  /** Appends the shortest two's complement of a number. */
  void appendUnscaled(long unscaled) {
    int significantBits = Long.SIZE + 1 - Long.numberOfLeadingZeros(unscaled ^ (unscaled >> 63));
    int count = (significantBits + 7) >>> 3;
    int at = reserveVariable(count);
    for (int i = 0; i < count; i++) {
      bytes[at + i] = (byte) (unscaled >> ((count - 1 - i) << 3));
    }
  }
}
