package io.bsdb.format.row;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Unaligned access to the numbers in a row. */
public final class LittleEndian {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private LittleEndian() {}

  public static short getShort(byte[] bytes, int at) {
    return (short) SHORT.get(bytes, at);
  }

  public static int getInt(byte[] bytes, int at) {
    return (int) INT.get(bytes, at);
  }

  public static long getLong(byte[] bytes, int at) {
    return (long) LONG.get(bytes, at);
  }

  public static void putShort(byte[] bytes, int at, short value) {
    SHORT.set(bytes, at, value);
  }

  public static void putInt(byte[] bytes, int at, int value) {
    INT.set(bytes, at, value);
  }

  public static void putLong(byte[] bytes, int at, long value) {
    LONG.set(bytes, at, value);
  }

  /** Returns a number of 1, 2 or 4 bytes; of 4 bytes it may come out negative. */
  public static int getUnsigned(byte[] bytes, int at, int log2Width) {
    return switch (log2Width) {
      case 0 -> bytes[at] & 0xFF;
      case 1 -> getShort(bytes, at) & 0xFFFF;
      default -> getInt(bytes, at);
    };
  }

  public static void putUnsigned(byte[] bytes, int at, int log2Width, int value) {
    switch (log2Width) {
      case 0 -> bytes[at] = (byte) value;
      case 1 -> putShort(bytes, at, (short) value);
      default -> putInt(bytes, at, value);
    }
  }

  /** Returns the smallest width, as its binary logarithm, that holds {@code value}. */
  public static int log2Width(int value) {
    return value <= 0xFF ? 0 : value <= 0xFFFF ? 1 : 2;
  }
}
