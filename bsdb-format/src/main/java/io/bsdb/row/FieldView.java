package io.bsdb.row;

import java.io.UncheckedIOException;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Read access by position to the fields of a key or a row, or to the elements of an array, without
 * decoding the others.
 *
 * <p>All accessors share these rules. Which one fits a column follows from its type (see each
 * accessor); another one throws {@link IllegalArgumentException}. A position outside 0 to {@link
 * #size()} − 1 throws {@link IndexOutOfBoundsException}. Damaged bytes throw {@link
 * UncheckedIOException} caused by a {@link io.bsdb.format.CorruptSnapshotException}, or yield some
 * value. Of a field that {@link #isNull} calls null, fixed-width accessors return zero and byte
 * accessors nothing; ask first.
 *
 * <p>A view is a flyweight over the caller's bytes, which must not change meanwhile. Once wrapped
 * it may be read by many threads; wrapping needs one owner. Accessors of primitives and slices
 * allocate nothing.
 */
public sealed interface FieldView permits SlotView, KeyView {
  /** Number of fields or elements. */
  int size();

  /** The type of a field, or of the elements. */
  ColumnType type(int i);

  boolean isNull(int i);

  /** BOOLEAN. */
  boolean booleanAt(int i);

  /** TINYINT. */
  byte byteAt(int i);

  /** SMALLINT. */
  short shortAt(int i);

  /** INT; DATE in days since 1970-01-01; TIME in milliseconds of the day. */
  int intAt(int i);

  /** BIGINT. */
  long longAt(int i);

  /** FLOAT. */
  float floatAt(int i);

  /** DOUBLE. */
  double doubleAt(int i);

  /**
   * TIMESTAMP and TIMESTAMP_LTZ: milliseconds since 1970-01-01 00:00:00 (UTC for TIMESTAMP_LTZ).
   */
  long epochMillisAt(int i);

  /**
   * TIMESTAMP and TIMESTAMP_LTZ: nanoseconds of the millisecond, 0 to 999,999; 0 if the precision
   * is at most 3.
   */
  int nanosOfMilliAt(int i);

  /** DECIMAL of at most 18 digits: the unscaled value. */
  long unscaledAt(int i);

  /** DECIMAL of any precision, at its declared scale. */
  BigDecimal decimalAt(int i);

  /**
   * Where the bytes of a variable-width field lie in {@link #bytes()}: UTF-8 of CHAR and VARCHAR;
   * the bytes of BINARY and VARBINARY; the big-endian unscaled value of a DECIMAL of more than 18
   * digits; the encoding of a nested value. Take it apart with {@link #offset} and {@link #length}.
   */
  long sliceAt(int i);

  /** The array that slices refer to: the caller's own. */
  byte[] bytes();

  /** A copy of the bytes that {@link #sliceAt} points to. */
  byte[] bytesAt(int i);

  /** CHAR and VARCHAR; malformed UTF-8 is replaced by U+FFFD. */
  String stringAt(int i);

  /** ARRAY. A new view. */
  ArrayView arrayAt(int i);

  /** MAP. A new view. */
  MapView mapAt(int i);

  /** ROW. A new view. */
  RowView rowAt(int i);

  /** Returns the value in the class that {@link RowCodec} lists for its type; null for null. */
  default @Nullable Object valueAt(int i) {
    return JavaValues.read(this, i);
  }

  /** Offset of a slice in {@link #bytes()}. */
  static int offset(long slice) {
    return (int) (slice >>> 32);
  }

  /** Length of a slice in bytes. */
  static int length(long slice) {
    return (int) slice;
  }
}
