package io.bsdb.format.symbols;

import io.bsdb.format.CorruptSnapshotException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Replaces the strings of a value, plain ones by encoded ones or the other way: everything else
 * stays, but for the end offsets, which are those of the new strings. Used by one thread at a time.
 */
abstract class ValueTransform {
  /** Returned by {@link #slots} for bytes that are not of the shape. */
  static final int UNFIT = -1;

  // Headers of rows and arrays, as docs/FORMAT.md has them
  private static final int WIDTH_MASK = 0b11;
  private static final int HAS_NULLS = 0b100;
  private static final int COUNT_WIDTH_SHIFT = 3;
  private static final int ROW_RESERVED = 0b1111_1000;
  private static final int ARRAY_RESERVED = 0b1110_0000;

  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private int[] ends = new int[16];
  private int endCount;

  /**
   * Transforms a string.
   *
   * @return where it ends in {@code target}
   */
  abstract int string(ValueShape shape, byte[] source, int start, int end, byte[] target, int at)
      throws CorruptSnapshotException;

  /**
   * Transforms a row or an array.
   *
   * @param wanted fields that are transformed; others come out empty
   * @return where it ends in {@code target}, or {@link #UNFIT}
   */
  final int slots(
      ValueShape shape,
      byte[] source,
      int start,
      int end,
      byte[] target,
      int at,
      FieldSelection wanted)
      throws CorruptSnapshotException {
    boolean isRow = shape.kind == ValueShape.Kind.ROW;
    int header = start < end ? source[start] & 0xFF : -1;
    int width = header & WIDTH_MASK;
    if ((header & (isRow ? ROW_RESERVED : ARRAY_RESERVED)) != 0 || width == WIDTH_MASK) {
      return UNFIT;
    }
    long count = shape.parts.length;
    long kept = shape.fixedLength;
    int fields = shape.fieldCount;
    if (!isRow) {
      int countWidth = header >>> COUNT_WIDTH_SHIFT;
      int countBytes = 1 << countWidth;
      if (countWidth == WIDTH_MASK || countBytes > end - start - 1) {
        return UNFIT;
      }
      fields = unsigned(source, start + 1, countWidth);
      count = fields;
      kept = countBytes;
    }
    kept += (header & HAS_NULLS) == 0 ? 0 : (fields + 7L) >>> 3;
    long offsets = start + 1 + kept;
    if (fields < 0 || offsets + (count << width) > end) {
      return UNFIT;
    }
    return area(shape, header, (int) kept, (int) count, source, start, end, target, at, wanted);
  }

  private int area(
      ValueShape shape,
      int header,
      int kept,
      int count,
      byte[] source,
      int start,
      int end,
      byte[] target,
      int at,
      FieldSelection wanted)
      throws CorruptSnapshotException {
    int width = header & WIDTH_MASK;
    int offsets = start + 1 + kept;
    int area = offsets + (count << width);
    if (width != width(end - area)) {
      return UNFIT;
    }
    int first = endCount; // an array within an array has its ends after those of the outer one
    endCount += count;
    if (endCount > ends.length) {
      ends = Arrays.copyOf(ends, Math.max(endCount, 2 * ends.length));
    }
    int areaAt = at + 1 + kept + count; // if offsets of one byte do; never past where it will be
    int to = areaAt;
    int from = area;
    for (int i = 0; i < count; i++) {
      int next = unsigned(source, offsets + (i << width), width);
      if (next < from - area || next > end - area) {
        endCount = first;
        return UNFIT;
      }
      next += area;
      if (next > from && wanted.contains(i)) {
        to = part(shape.part(i), source, from, next, target, to);
        if (to == UNFIT) {
          endCount = first;
          return UNFIT;
        }
      }
      ends[first + i] = to - areaAt;
      from = next;
    }
    endCount = first;
    if (from != end) {
      return UNFIT;
    }
    int length = to - areaAt;
    int newWidth = width(length);
    target[at] = (byte) ((header & ~WIDTH_MASK) | newWidth);
    System.arraycopy(source, start + 1, target, at + 1, kept);
    int offsetsAt = at + 1 + kept;
    if (newWidth > 0) {
      System.arraycopy(target, areaAt, target, offsetsAt + (count << newWidth), length);
    }
    for (int i = 0; i < count; i++) {
      putUnsigned(target, offsetsAt + (i << newWidth), newWidth, ends[first + i]);
    }
    return offsetsAt + (count << newWidth) + length;
  }

  private int part(ValueShape shape, byte[] source, int start, int end, byte[] target, int at)
      throws CorruptSnapshotException {
    return shape.kind == ValueShape.Kind.STRING
        ? string(shape, source, start, end, target, at)
        : slots(shape, source, start, end, target, at, FieldSelection.ALL);
  }

  /** Forgets what a transform left that threw. */
  final void reset() {
    endCount = 0;
  }

  /** Returns the binary logarithm of the width of offsets. */
  private static int width(int length) {
    return length <= 0xFF ? 0 : length <= 0xFFFF ? 1 : 2;
  }

  /** Returns a number of 1, 2 or 4 bytes; of 4 bytes it may come out negative. */
  private static int unsigned(byte[] bytes, int at, int width) {
    return switch (width) {
      case 0 -> bytes[at] & 0xFF;
      case 1 -> (short) SHORTS.get(bytes, at) & 0xFFFF;
      default -> (int) INTS.get(bytes, at);
    };
  }

  private static void putUnsigned(byte[] bytes, int at, int width, int value) {
    switch (width) {
      case 0 -> bytes[at] = (byte) value;
      case 1 -> SHORTS.set(bytes, at, (short) value);
      default -> INTS.set(bytes, at, value);
    }
  }
}
