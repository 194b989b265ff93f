package io.bsdb.row;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * View of the parts that rows and arrays share: an optional null bitmap, fixed slots, a table of
 * end offsets, a variable area.
 */
abstract sealed class SlotView implements FieldView permits RowView, ArrayView {
  private static final byte[] NOTHING = {};

  byte[] bytes = NOTHING;
  private int offset; // start of the slice
  int limit; // end of the slice
  int nulls = -1; // start of the null bitmap; -1: none
  int slots; // start of the fixed slots
  private int offsets; // start of the offset table
  private int log2OffsetWidth;
  private int variable; // start of the variable area

  final boolean sameBytes(SlotView other) {
    return Arrays.equals(bytes, offset, limit, other.bytes, other.offset, other.limit);
  }

  final int hashOfBytes() {
    return ByteBuffer.wrap(bytes, offset, limit - offset).hashCode();
  }

  /** Returns the start of the fixed slot of a field that must be stored in this way. */
  abstract int slot(int i, Storage wanted);

  /** Returns the index in the offset table of a field that must be variable. */
  abstract int variableIndex(int i);

  abstract Storage storage(int i);

  abstract RowLayout rowLayout(int i);

  abstract ArrayLayout arrayLayout(int i);

  final void checkSlice(byte[] bytes, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    this.bytes = bytes;
    this.offset = offset;
    this.limit = offset + length;
  }

  /**
   * Sets the areas; throws if they do not fit the slice. {@code at} is the position behind the
   * header.
   */
  final void locate(
      int header, int at, int count, long fixedLength, int variableCount, int reserved) {
    int widthCode = header & RowLayout.OFFSET_WIDTH_MASK;
    if ((header & reserved) != 0 || widthCode == 3) {
      throw Damage.found(describe() + ": unknown header 0x" + Integer.toHexString(header & 0xFF));
    }
    boolean hasNulls = (header & RowLayout.HAS_NULLS) != 0;
    long slotsAt = (long) at + (hasNulls ? RowLayout.bitmapLength(count) : 0);
    long offsetsAt = slotsAt + fixedLength;
    long variableAt = offsetsAt + ((long) variableCount << widthCode);
    if (variableAt > limit) {
      throw Damage.found(
          describe()
              + ": "
              + count
              + " fields need "
              + (variableAt - at)
              + " bytes, found "
              + (limit - at));
    }
    nulls = hasNulls ? at : -1;
    slots = (int) slotsAt;
    offsets = (int) offsetsAt;
    log2OffsetWidth = widthCode;
    variable = (int) variableAt;
  }

  abstract String describe();

  abstract void checkPosition(int i);

  @Override
  public final byte[] bytes() {
    return bytes;
  }

  @Override
  public final boolean isNull(int i) {
    checkPosition(i);
    return nulls >= 0 && (bytes[nulls + (i >>> 3)] & (1 << (i & 7))) != 0;
  }

  @Override
  public final boolean booleanAt(int i) {
    byte value = bytes[slot(i, Storage.BOOLEAN)];
    if ((value & ~1) != 0) {
      throw Damage.found(describe() + ": field " + i + " is " + value + ", not a boolean");
    }
    return value != 0;
  }

  @Override
  public final byte byteAt(int i) {
    return bytes[slot(i, Storage.BYTE)];
  }

  @Override
  public final short shortAt(int i) {
    return LittleEndian.getShort(bytes, slot(i, Storage.SHORT));
  }

  @Override
  public final int intAt(int i) {
    return LittleEndian.getInt(bytes, slot(i, Storage.INT));
  }

  @Override
  public final long longAt(int i) {
    return LittleEndian.getLong(bytes, slot(i, Storage.LONG));
  }

  @Override
  public final float floatAt(int i) {
    return Float.intBitsToFloat(LittleEndian.getInt(bytes, slot(i, Storage.FLOAT)));
  }

  @Override
  public final double doubleAt(int i) {
    return Double.longBitsToDouble(LittleEndian.getLong(bytes, slot(i, Storage.DOUBLE)));
  }

  @Override
  public final long epochMillisAt(int i) {
    return LittleEndian.getLong(bytes, slot(i, timestampStorage(i)));
  }

  @Override
  public final int nanosOfMilliAt(int i) {
    Storage storage = timestampStorage(i);
    int slot = slot(i, storage);
    return storage == Storage.TIMESTAMP_MILLIS
        ? 0
        : Decimals.checkNanos(LittleEndian.getInt(bytes, slot + 8));
  }

  private Storage timestampStorage(int i) {
    return storage(i) == Storage.TIMESTAMP_NANOS
        ? Storage.TIMESTAMP_NANOS
        : Storage.TIMESTAMP_MILLIS;
  }

  @Override
  public final long unscaledAt(int i) {
    long unscaled = LittleEndian.getLong(bytes, slot(i, Storage.DECIMAL_LONG));
    return Decimals.checkStored(unscaled, type(i));
  }

  @Override
  public final BigDecimal decimalAt(int i) {
    if (storage(i) != Storage.DECIMAL_BYTES) {
      return BigDecimal.valueOf(unscaledAt(i), type(i).scale());
    }
    long slice = sliceAt(i);
    if (FieldView.length(slice) == 0 && isNull(i)) {
      return new BigDecimal(BigInteger.ZERO, type(i).scale());
    }
    return Decimals.read(bytes, slice, type(i));
  }

  @Override
  public final long sliceAt(int i) {
    int k = variableIndex(i);
    int start = k == 0 ? 0 : endOffset(k - 1);
    int end = endOffset(k);
    if (start < 0 || start > end || end > limit - variable) {
      throw Damage.found(
          describe()
              + ": field "
              + i
              + " lies at "
              + Integer.toUnsignedString(start)
              + " to "
              + Integer.toUnsignedString(end)
              + " of "
              + (limit - variable)
              + " bytes");
    }
    return ((long) (variable + start) << 32) | (end - start);
  }

  private int endOffset(int k) {
    return LittleEndian.getUnsigned(bytes, offsets + (k << log2OffsetWidth), log2OffsetWidth);
  }

  @Override
  public final byte[] bytesAt(int i) {
    long slice = sliceAt(i);
    int offset = FieldView.offset(slice);
    return Arrays.copyOfRange(bytes, offset, offset + FieldView.length(slice));
  }

  @Override
  public final String stringAt(int i) {
    if (storage(i) != Storage.TEXT) {
      throw new IllegalArgumentException("field " + i + " is " + type(i) + ", not text");
    }
    long slice = sliceAt(i);
    return new String(
        bytes, FieldView.offset(slice), FieldView.length(slice), StandardCharsets.UTF_8);
  }

  @Override
  public final ArrayView arrayAt(int i) {
    var view = new ArrayView(arrayLayout(i));
    long slice = sliceAt(i);
    return view.wrap(bytes, FieldView.offset(slice), FieldView.length(slice));
  }

  @Override
  public final MapView mapAt(int i) {
    if (storage(i) != Storage.MAP) {
      throw new IllegalArgumentException("field " + i + " is " + type(i) + ", not a map");
    }
    return new MapView(nestedRow(i));
  }

  @Override
  public final RowView rowAt(int i) {
    if (storage(i) != Storage.ROW) {
      throw new IllegalArgumentException("field " + i + " is " + type(i) + ", not a row");
    }
    return nestedRow(i);
  }

  private RowView nestedRow(int i) {
    long slice = sliceAt(i);
    return new RowView(rowLayout(i)).wrap(bytes, FieldView.offset(slice), FieldView.length(slice));
  }
}
