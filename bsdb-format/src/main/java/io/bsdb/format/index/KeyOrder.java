package io.bsdb.format.index;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The order of keys: that of their unsigned bytes, a prefix before what it is one of. */
public final class KeyOrder {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private KeyOrder() {}

  /**
   * Compares a stored key with another.
   *
   * @param buffer little-endian; holds the key at {@code [offset, offset + length)}
   * @return negative, zero or positive, as the stored key is less, equal or greater
   */
  public static int compare(ByteBuffer buffer, int offset, int length, byte[] key) {
    int common = Math.min(length, key.length);
    int i = 0;
    for (; i + Long.BYTES <= common; i += Long.BYTES) {
      long stored = Long.reverseBytes(buffer.getLong(offset + i));
      long other = (long) LONGS.get(key, i);
      if (stored != other) {
        return Long.compareUnsigned(stored, other);
      }
    }
    for (; i < common; i++) {
      int difference = (buffer.get(offset + i) & 0xFF) - (key[i] & 0xFF);
      if (difference != 0) {
        return difference;
      }
    }
    return length - key.length;
  }

  /** Returns the eight bytes of a key from an offset on as a number; zeros stand after its end. */
  public static long head(byte[] key, int offset) {
    if (key.length - offset >= Long.BYTES) {
      return (long) LONGS.get(key, offset);
    }
    long head = 0;
    for (int i = 0; i < Long.BYTES; i++) {
      int at = offset + i;
      head = head << Byte.SIZE | (at < key.length ? key[at] & 0xFF : 0);
    }
    return head;
  }

  /** Returns how many leading bytes two keys share. */
  public static int commonBytes(byte[] a, byte[] b) {
    int mismatch = Arrays.mismatch(a, b);
    return mismatch < 0 ? a.length : mismatch;
  }

  /** Returns how many leading bits two keys share; zeros stand after their ends. */
  static int commonBits(byte[] a, byte[] b) {
    int bytes = commonBytes(a, b);
    int longest = Math.max(a.length, b.length);
    while (bytes < longest) {
      int difference = octet(a, bytes) ^ octet(b, bytes);
      if (difference != 0) {
        return Byte.SIZE * bytes + Integer.numberOfLeadingZeros(difference << 24);
      }
      bytes++;
    }
    return Byte.SIZE * longest;
  }

  private static int octet(byte[] key, int index) {
    return index < key.length ? key[index] & 0xFF : 0;
  }
}
