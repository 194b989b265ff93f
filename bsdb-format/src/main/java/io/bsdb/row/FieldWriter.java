package io.bsdb.row;

import io.bsdb.format.row.LittleEndian;
import io.bsdb.format.row.RowBytes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Write access by position to the fields of a row or the elements of an array. Fields may be set in
 * any order and more than once; those not set are null.
 *
 * <p>All setters share these rules. One that does not fit the field's type throws {@link
 * IllegalArgumentException}, a position out of range {@link IndexOutOfBoundsException}. Bytes are
 * copied at once.
 *
 * <p>A nested value is written through a writer of its own, which its parent keeps and hands out
 * again: get it, fill it, call its {@code end()}, and only then continue with the parent. One
 * writer with all its nested writers per thread.
 */
public abstract sealed class FieldWriter permits RowWriter, ArrayWriter {
  private static final int INITIAL_CAPACITY = 64;

  byte[] slots;
  byte[] nulls;
  int[] starts; // by index in the offset table: where the bytes lie in heap
  int[] ends;
  byte[] heap =
      new byte[INITIAL_CAPACITY]; // bytes of variable fields, in the order in which they came
  int heapLength;

  private final @Nullable FieldWriter parent;
  private int positionInParent;
  private @Nullable FieldWriter open; // the nested writer that has not ended

  FieldWriter(@Nullable FieldWriter parent, int slotLength, int count, int variableCount) {
    this.parent = parent;
    this.slots = new byte[slotLength];
    this.nulls = new byte[RowBytes.bitmapLength(count)];
    this.starts = new int[variableCount];
    this.ends = new int[variableCount];
  }

  /** Returns the number of fields or elements. */
  public abstract int size();

  abstract Column column(int i);

  abstract Storage storage(int i);

  /**
   * Returns the start of the slot of a fixed field, or the index in the offset table of a variable
   * one; checks the position.
   */
  abstract int place(int i);

  abstract FieldWriter nested(int i);

  /** Returns the length of the encoding in bytes; must come right before {@link #encode}. */
  abstract int measure();

  /** Writes what {@link #measure} measured. */
  abstract void encode(byte[] target, int at);

  /** Makes so many fields null. */
  final void clear(int count, int slotLength, int variableCount) {
    Arrays.fill(slots, 0, slotLength, (byte) 0);
    Arrays.fill(nulls, 0, RowBytes.bitmapLength(count), (byte) 0xFF);
    Arrays.fill(starts, 0, variableCount, 0);
    Arrays.fill(ends, 0, variableCount, 0);
    heapLength = 0;
    open = null;
  }

  public final void setNull(int i) {
    int place = place(i);
    Storage storage = storage(i);
    if (storage.isVariable()) {
      starts[place] = 0;
      ends[place] = 0;
    } else {
      Arrays.fill(slots, place, place + storage.width, (byte) 0);
    }
    RowBytes.set(nulls, i);
  }

  /** Sets a BOOLEAN. */
  public final void setBoolean(int i, boolean value) {
    slots[slot(i, Storage.BOOLEAN)] = (byte) (value ? 1 : 0);
  }

  /** Sets a TINYINT. */
  public final void setByte(int i, byte value) {
    slots[slot(i, Storage.BYTE)] = value;
  }

  /** Sets a SMALLINT. */
  public final void setShort(int i, short value) {
    LittleEndian.putShort(slots, slot(i, Storage.SHORT), value);
  }

  /** Sets an INT, a DATE in days since 1970-01-01, or a TIME in milliseconds since midnight. */
  public final void setInt(int i, int value) {
    LittleEndian.putInt(slots, slot(i, Storage.INT), value);
  }

  /** Sets a BIGINT. */
  public final void setLong(int i, long value) {
    LittleEndian.putLong(slots, slot(i, Storage.LONG), value);
  }

  /** Sets a FLOAT; all bits are kept. */
  public final void setFloat(int i, float value) {
    LittleEndian.putInt(slots, slot(i, Storage.FLOAT), Float.floatToRawIntBits(value));
  }

  /** Sets a DOUBLE; all bits are kept. */
  public final void setDouble(int i, double value) {
    LittleEndian.putLong(slots, slot(i, Storage.DOUBLE), Double.doubleToRawLongBits(value));
  }

  /**
   * Sets a TIMESTAMP or TIMESTAMP_LTZ.
   *
   * @param epochMillis milliseconds since 1970-01-01 00:00:00 (UTC for TIMESTAMP_LTZ)
   * @param nanosOfMilli 0 to 999,999
   * @throws IllegalArgumentException if they are not 0 and the field's precision is at most 3
   */
  public final void setTimestamp(int i, long epochMillis, int nanosOfMilli) {
    Decimals.checkGivenNanos(nanosOfMilli);
    place(i);
    if (storage(i) == Storage.TIMESTAMP_NANOS) {
      int slot = slot(i, Storage.TIMESTAMP_NANOS);
      LittleEndian.putLong(slots, slot, epochMillis);
      LittleEndian.putInt(slots, slot + Storage.NANOS_OFFSET, nanosOfMilli);
    } else {
      check(i, Storage.TIMESTAMP_MILLIS);
      if (nanosOfMilli != 0) {
        throw refused(i, nanosOfMilli + " ns of a millisecond do not fit " + column(i).type());
      }
      LittleEndian.putLong(slots, slot(i, Storage.TIMESTAMP_MILLIS), epochMillis);
    }
  }

  /** Sets a DECIMAL of at most 18 digits, by its unscaled value at the field's scale. */
  public final void setUnscaled(int i, long unscaled) {
    check(i, Storage.DECIMAL_LONG);
    LittleEndian.putLong(
        slots, slot(i, Storage.DECIMAL_LONG), Decimals.checkGiven(unscaled, column(i)));
  }

  /**
   * Sets a DECIMAL of any precision. Throws {@link IllegalArgumentException} if the field's type
   * would lose digits.
   */
  public final void setDecimal(int i, BigDecimal value) {
    place(i);
    if (storage(i) == Storage.DECIMAL_LONG) {
      setUnscaled(i, Decimals.unscaled(value, column(i)).longValueExact());
    } else {
      check(i, Storage.DECIMAL_BYTES);
      BigInteger unscaled = Decimals.unscaled(value, column(i));
      byte[] bytes = unscaled.toByteArray();
      append(i, bytes, 0, bytes.length);
    }
  }

  /** Sets a CHAR or VARCHAR. Throws {@link IllegalArgumentException} on an unpaired surrogate. */
  public final void setString(int i, String value) {
    check(i, Storage.TEXT);
    String problem = MalformedText.problem(value);
    if (problem != null) {
      throw refused(i, problem);
    }
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    append(i, utf8, 0, utf8.length);
  }

  /**
   * Sets a CHAR or VARCHAR from UTF-8. Throws {@link IllegalArgumentException} if it is malformed.
   */
  public final void setUtf8(int i, byte[] bytes, int offset, int length) {
    check(i, Storage.TEXT);
    Objects.checkFromIndexSize(offset, length, bytes.length);
    String problem = MalformedText.problem(bytes, offset, length);
    if (problem != null) {
      throw refused(i, problem);
    }
    append(i, bytes, offset, length);
  }

  private IllegalArgumentException refused(int i, String problem) {
    return new IllegalArgumentException("column '%s': %s".formatted(column(i).name(), problem));
  }

  /** Sets a BINARY or VARBINARY. */
  public final void setBytes(int i, byte[] value) {
    setBytes(i, value, 0, value.length);
  }

  /** Sets a BINARY or VARBINARY. */
  public final void setBytes(int i, byte[] bytes, int offset, int length) {
    check(i, Storage.BYTES);
    append(i, bytes, offset, length);
  }

  /** Returns the writer of a ROW's fields, all null. */
  public final RowWriter row(int i) {
    RowWriter row = (RowWriter) open(i, Storage.ROW);
    return row.reset();
  }

  /** Returns the writer of an ARRAY's elements, all null. {@code count} is at least 0. */
  public final ArrayWriter array(int i, int count) {
    ArrayWriter array = (ArrayWriter) open(i, Storage.ARRAY);
    array.begin(count);
    return array;
  }

  /** Returns the writer of a MAP's entries. {@code count} is at least 0. */
  public final MapWriter map(int i, int count) {
    RowWriter pair = (RowWriter) open(i, Storage.MAP);
    pair.reset();
    return new MapWriter(pair, count);
  }

  /** Returns the nested writer at a position, opened here without telling this writer. */
  final FieldWriter nestedAt(int i) {
    FieldWriter nested = nested(i);
    nested.positionInParent = i;
    return nested;
  }

  private FieldWriter open(int i, Storage wanted) {
    check(i, wanted);
    checkEnded();
    FieldWriter nested = nestedAt(i);
    open = nested;
    return nested;
  }

  final void checkEnded() {
    if (open != null) {
      throw new IllegalStateException(
          "the writer of " + column(open.positionInParent) + " has not ended");
    }
  }

  /** Hands this value to the parent, which copies it. */
  final void endNested() {
    if (parent == null) {
      throw new IllegalStateException("this writer is not nested");
    }
    if (parent.open != this) {
      throw new IllegalStateException("the writer has already ended");
    }
    appendToParent(parent);
    parent.open = null;
  }

  final void appendToParent(FieldWriter parent) {
    int length = measure();
    int at = parent.reserve(length);
    encode(parent.heap, at);
    parent.assign(positionInParent, at, at + length);
  }

  private void append(int i, byte[] source, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, source.length);
    int at = reserve(length);
    System.arraycopy(source, offset, heap, at, length);
    assign(i, at, at + length);
  }

  private void assign(int i, int start, int end) {
    int place = place(i);
    starts[place] = start;
    ends[place] = end;
    RowBytes.clear(nulls, i);
  }

  private int reserve(int length) {
    int at = heapLength;
    if (heap.length - at < length) {
      long needed = (long) at + length;
      if (needed > RowWriter.MAX_LENGTH) {
        throw new IllegalArgumentException("row is longer than " + RowWriter.MAX_LENGTH + " bytes");
      }
      heap =
          Arrays.copyOf(
              heap, (int) Math.min(RowWriter.MAX_LENGTH, Math.max(needed, heap.length * 2L)));
    }
    heapLength = at + length;
    return at;
  }

  private int check(int i, Storage wanted) {
    int place = place(i);
    if (storage(i) != wanted) {
      throw RowLayout.mismatch(column(i), wanted.toString());
    }
    return place;
  }

  /** Returns the slot of a field that now gets a value. */
  private int slot(int i, Storage wanted) {
    int place = check(i, wanted);
    RowBytes.clear(nulls, i);
    return place;
  }

  /** Returns the bytes of all variable fields. */
  final int variableLength(int variableCount) {
    long length = 0;
    for (int k = 0; k < variableCount; k++) {
      length += ends[k] - starts[k];
    }
    return checkedLength(length);
  }

  static int checkedLength(long length) {
    if (length > RowWriter.MAX_LENGTH) {
      throw new IllegalArgumentException(
          "row of " + length + " bytes, more than " + RowWriter.MAX_LENGTH);
    }
    return (int) length;
  }

  /** Writes the null bitmap, if the header has one, and returns the position after it. */
  final int encodeNulls(int header, byte[] target, int at, int count) {
    if (!RowBytes.hasNulls(header)) {
      return at;
    }
    int end = at + RowBytes.bitmapLength(count);
    System.arraycopy(nulls, 0, target, at, end - at);
    target[end - 1] &= (byte) RowBytes.lastBits(count);
    return end;
  }

  /** Writes the offset table at {@code at} and the variable area after it. */
  final void encodeVariable(int header, byte[] target, int at, int variableCount) {
    int width = RowBytes.offsetWidth(header);
    int area = RowBytes.offsetAt(at, variableCount, width);
    int end = 0;
    int runStart = 0; // fields that lie one after the other are copied in one go
    int runEnd = 0;
    for (int k = 0; k < variableCount; k++) {
      int length = ends[k] - starts[k];
      if (length > 0 && starts[k] != runEnd) {
        System.arraycopy(
            heap, runStart, target, area + end - (runEnd - runStart), runEnd - runStart);
        runStart = starts[k];
        runEnd = runStart;
      }
      runEnd += length;
      end += length;
      LittleEndian.putUnsigned(target, RowBytes.offsetAt(at, k, width), width, end);
    }
    System.arraycopy(heap, runStart, target, area + end - (runEnd - runStart), runEnd - runStart);
  }
}
