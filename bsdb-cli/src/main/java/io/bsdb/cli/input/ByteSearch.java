package io.bsdb.cli.input;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Finds bytes in arrays. */
final class ByteSearch {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private ByteSearch() {}

  /** Returns where the wanted bytes first stand in {@code [from, to)}, or -1. */
  static int indexOf(byte[] bytes, int from, int to, byte[] wanted) {
    if (wanted.length == 1) {
      return indexOf(bytes, from, to, wanted[0]);
    }
    int last = to - wanted.length;
    for (int i = indexOf(bytes, from, to, wanted[0]);
        i >= 0 && i <= last;
        i = indexOf(bytes, i + 1, to, wanted[0])) {
      if (Arrays.equals(bytes, i, i + wanted.length, wanted, 0, wanted.length)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Returns where the wanted byte first stands in {@code [from, to)}, or -1. Looks at eight bytes
   * at a time: a byte of {@code x} is zero just where the word holds the wanted byte.
   */
  static int indexOf(byte[] bytes, int from, int to, byte wanted) {
    long pattern = (wanted & 0xFFL) * 0x0101010101010101L;
    int i = from;
    for (; i <= to - Long.BYTES; i += Long.BYTES) {
      long x = (long) LONGS.get(bytes, i) ^ pattern;
      long zeros = (x - 0x0101010101010101L) & ~x & 0x8080808080808080L;
      if (zeros != 0) {
        return i + (Long.numberOfTrailingZeros(zeros) >> 3);
      }
    }
    for (; i < to; i++) {
      if (bytes[i] == wanted) {
        return i;
      }
    }
    return -1;
  }
}
