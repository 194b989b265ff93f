package io.bsdb.format.row;

/**
 * Headers, null bitmaps and end offsets of rows and arrays; the mirror of the section "Rows" in
 * docs/FORMAT.md. No other class knows their bits. Widths are given by their binary logarithms.
 */
public final class RowBytes {
  public static final int HEADER_LENGTH = 1;

  // Bits of headers: those of rows, which arrays have too, then those of arrays
  private static final int WIDTH_MASK = 0b11; // of an offset or a count; 3 is reserved
  private static final int HAS_NULLS = 0b100;
  private static final int ROW_RESERVED = ~0b111;
  private static final int COUNT_WIDTH_SHIFT = 3;
  private static final int ARRAY_RESERVED = ~0b11111;

  /** The one byte of an ended row, which is no row. */
  public static final byte ENDED = 0b1000;

  private RowBytes() {}

  /** Returns the header of a row. */
  public static int header(int offsetWidth, boolean hasNulls) {
    return offsetWidth | (hasNulls ? HAS_NULLS : 0);
  }

  /** Returns the header of an array. */
  public static int header(int offsetWidth, boolean hasNulls, int countWidth) {
    return header(offsetWidth, hasNulls) | (countWidth << COUNT_WIDTH_SHIFT);
  }

  /** Returns whether a byte, signed or not, is a header of rows. */
  public static boolean isRow(int header) {
    return (header & ROW_RESERVED) == 0 && isWidth(offsetWidth(header));
  }

  /** Returns whether a byte, signed or not, is a header of arrays. */
  public static boolean isArray(int header) {
    return (header & ARRAY_RESERVED) == 0
        && isWidth(offsetWidth(header))
        && isWidth(countWidth(header));
  }

  public static boolean isWidth(int width) {
    return width != WIDTH_MASK;
  }

  public static int offsetWidth(int header) {
    return header & WIDTH_MASK;
  }

  /** Returns the same header for end offsets of another width. */
  public static int withOffsetWidth(int header, int offsetWidth) {
    return (header & ~WIDTH_MASK) | offsetWidth;
  }

  /** Returns the width of an array's count. */
  public static int countWidth(int header) {
    return (header >>> COUNT_WIDTH_SHIFT) & WIDTH_MASK;
  }

  public static boolean hasNulls(int header) {
    return (header & HAS_NULLS) != 0;
  }

  /** Returns the length of the null bitmap of so many fields; 0 if there is none. */
  public static int nullsLength(int header, int count) {
    return hasNulls(header) ? bitmapLength(count) : 0;
  }

  public static int bitmapLength(int count) {
    return (count >>> 3) + ((count & 7) == 0 ? 0 : 1);
  }

  /** Returns which bits of the last byte of a bitmap are those of fields. */
  public static int lastBits(int count) {
    return 0xFF >>> (-count & 7);
  }

  /** Returns the position of the byte with the bit of a field. */
  public static int bitAt(int bitmap, int field) {
    return bitmap + (field >>> 3);
  }

  /** Returns whether the bit of a field is set in the byte at {@link #bitAt}. */
  public static boolean isSet(byte bits, int field) {
    return (bits & (1 << (field & 7))) != 0;
  }

  public static void set(byte[] bitmap, int field) {
    bitmap[field >>> 3] |= (byte) (1 << (field & 7));
  }

  public static void clear(byte[] bitmap, int field) {
    bitmap[field >>> 3] &= (byte) ~(1 << (field & 7));
  }

  /** Returns the length of so many end offsets. */
  public static long offsetsLength(int count, int offsetWidth) {
    return (long) count << offsetWidth;
  }

  /** Returns the position of an end offset, or of the variable area after the last one. */
  public static int offsetAt(int offsets, int number, int offsetWidth) {
    return offsets + (number << offsetWidth);
  }
}
