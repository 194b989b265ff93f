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
 * value. For a field that {@link #isNull} calls null, fixed-width accessors return zero and byte
 * accessors nothing; ask first.
 *
 * <p>A view is a flyweight over the caller's bytes, which must not change meanwhile, or over memory
 * that is {@linkplain io.bsdb.format.ValueReader lent}, for as long as it is; what accessors return
 * stays, nested views too. Once wrapped it may be read by many threads; wrapping needs one owner.
 * Accessors of primitives and slices allocate nothing.
 */
public sealed interface FieldView permits SlotView, KeyView {
  /** Returns the number of fields or elements. */
  int size();

  /** Returns the type of a field, or of the elements. */
  ColumnType type(int i);

  boolean isNull(int i);

  /** Returns a BOOLEAN. */
  boolean booleanAt(int i);

  /** Returns a TINYINT. */
  byte byteAt(int i);

  /** Returns a SMALLINT. */
  short shortAt(int i);

  /**
   * Returns an INT, the days of a DATE since 1970-01-01, or the milliseconds of a TIME since
   * midnight.
   */
  int intAt(int i);

  /** Returns a BIGINT. */
  long longAt(int i);

  /** Returns a FLOAT. */
  float floatAt(int i);

  /** Returns a DOUBLE. */
  double doubleAt(int i);

  /**
   * Returns the milliseconds of a TIMESTAMP or TIMESTAMP_LTZ since 1970-01-01 00:00:00 (UTC for
   * TIMESTAMP_LTZ).
   */
  long epochMillisAt(int i);

  /**
   * Returns the nanoseconds of a TIMESTAMP or TIMESTAMP_LTZ within the millisecond, 0 to 999,999; 0
   * if the precision is at most 3.
   */
  int nanosOfMilliAt(int i);

  /** Returns the unscaled value of a DECIMAL of at most 18 digits. */
  long unscaledAt(int i);

  /** Returns a DECIMAL of any precision, at its declared scale. */
  BigDecimal decimalAt(int i);

  /**
   * Returns where the bytes of a variable-width field lie in {@link #bytes()}: UTF-8 of CHAR and
   * VARCHAR; the bytes of BINARY and VARBINARY; the big-endian unscaled value of a DECIMAL of more
   * than 18 digits; the encoding of a nested value. Take it apart with {@link #offset} and {@link
   * #length}.
   */
  long sliceAt(int i);

  /**
   * Returns the array that slices refer to: the caller's own.
   *
   * @throws IllegalStateException if the view is wrapped around memory that is lent
   */
  byte[] bytes();

  /** Returns a copy of the bytes that {@link #sliceAt} points to. */
  byte[] bytesAt(int i);

  /** Returns a CHAR or VARCHAR; malformed UTF-8 is replaced by U+FFFD. */
  String stringAt(int i);

  /** Returns a new view of an ARRAY. */
  ArrayView arrayAt(int i);

  /** Returns a new view of a MAP. */
  MapView mapAt(int i);

  /** Returns a new view of a ROW. */
  RowView rowAt(int i);

  /** Returns the value in the class that {@link RowCodec} lists for its type; null for null. */
  default @Nullable Object valueAt(int i) {
    return JavaValues.read(this, i);
  }

  /** Returns the offset of a slice in {@link #bytes()}. */
  static int offset(long slice) {
    return (int) (slice >>> 32);
  }

  /** Returns the length of a slice in bytes. */
  static int length(long slice) {
    return (int) slice;
  }
}
