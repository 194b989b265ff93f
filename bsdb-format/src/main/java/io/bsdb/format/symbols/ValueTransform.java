package io.bsdb.format.symbols;

import io.bsdb.format.CorruptSnapshotException;
import io.bsdb.format.row.LittleEndian;
import io.bsdb.format.row.RowBytes;
import java.util.Arrays;

/**
 * Replaces the strings of a value, plain ones by encoded ones or the other way: everything else
 * stays, but for the end offsets, which are those of the new strings. Used by one thread at a time.
 */
abstract class ValueTransform {
  /** Returned by {@link #slots} for bytes that are not of the shape. */
  static final int UNFIT = -1;

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
    if (!(isRow ? RowBytes.isRow(header) : RowBytes.isArray(header))) {
      return UNFIT;
    }
    int count = shape.parts.length;
    long kept = shape.fixedLength;
    int fields = shape.fieldCount;
    if (!isRow) {
      int countWidth = RowBytes.countWidth(header);
      int countBytes = 1 << countWidth;
      if (countBytes > end - start - RowBytes.HEADER_LENGTH) {
        return UNFIT;
      }
      fields = LittleEndian.getUnsigned(source, start + RowBytes.HEADER_LENGTH, countWidth);
      count = fields;
      kept = countBytes;
    }
    kept += RowBytes.nullsLength(header, fields);
    long offsets = start + RowBytes.HEADER_LENGTH + kept;
    long area = offsets + RowBytes.offsetsLength(count, RowBytes.offsetWidth(header));
    if (fields < 0 || area > end) {
      return UNFIT;
    }
    return area(shape, header, (int) kept, count, source, start, end, target, at, wanted);
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
    int width = RowBytes.offsetWidth(header);
    int offsets = start + RowBytes.HEADER_LENGTH + kept;
    int area = RowBytes.offsetAt(offsets, count, width);
    if (width != LittleEndian.log2Width(end - area)) {
      return UNFIT;
    }
    int first = endCount; // an array within an array has its ends after those of the outer one
    endCount += count;
    if (endCount > ends.length) {
      ends = Arrays.copyOf(ends, Math.max(endCount, 2 * ends.length));
    }
    int offsetsAt = at + RowBytes.HEADER_LENGTH + kept;
    int areaAt = offsetsAt + count; // if offsets of one byte do; never past where it will be
    int to = areaAt;
    int from = area;
    for (int i = 0; i < count; i++) {
      int next = LittleEndian.getUnsigned(source, RowBytes.offsetAt(offsets, i, width), width);
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
    int newWidth = LittleEndian.log2Width(length);
    target[at] = (byte) RowBytes.withOffsetWidth(header, newWidth);
    System.arraycopy(source, offsets - kept, target, offsetsAt - kept, kept);
    int newAreaAt = RowBytes.offsetAt(offsetsAt, count, newWidth);
    if (newWidth > 0) {
      System.arraycopy(target, areaAt, target, newAreaAt, length);
    }
    for (int i = 0; i < count; i++) {
      int offsetAt = RowBytes.offsetAt(offsetsAt, i, newWidth);
      LittleEndian.putUnsigned(target, offsetAt, newWidth, ends[first + i]);
    }
    return newAreaAt + length;
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
}
