package io.bsdb.row;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Unaligned access to the numbers in a row. */
final class LittleEndian {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private LittleEndian() {}

  static short getShort(byte[] bytes, int at) {
    return (short) SHORT.get(bytes, at);
  }

  static int getInt(byte[] bytes, int at) {
    return (int) INT.get(bytes, at);
  }

  static long getLong(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }

  static void putShort(byte[] bytes, int at, short value) {
    SHORT.set(bytes, at, value);
  }

  static void putInt(byte[] bytes, int at, int value) {
    INT.set(bytes, at, value);
  }

  static void putLong(byte[] bytes, int at, long value) {
    LONG.set(bytes, at, value);
  }

  static void putUnsigned(byte[] bytes, int at, int log2Width, int value) {
    switch (log2Width) {
      case 0 -> bytes[at] = (byte) value;
      case 1 -> putShort(bytes, at, (short) value);
      default -> putInt(bytes, at, value);
    }
  }

  /** Returns the smallest width, as its binary logarithm, that holds {@code value}. */
  static int log2Width(int value) {
    return value <= 0xFF ? 0 : value <= 0xFFFF ? 1 : 2;
  }
}
