package io.bsdb.row;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Unaligned access to the numbers in a key. */
final class BigEndian {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private BigEndian() {}

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
}
