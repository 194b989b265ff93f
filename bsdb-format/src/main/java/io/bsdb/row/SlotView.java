package io.bsdb.row;

import io.bsdb.format.LentBytes;
import io.bsdb.format.row.LittleEndian;
import io.bsdb.format.row.RowBytes;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * View of the parts that rows and arrays share: an optional null bitmap, fixed slots, a table of
 * end offsets, a variable area.
 */
abstract sealed class SlotView implements FieldView permits RowView, ArrayView {
  private static final byte[] NOTHING = {};

  /** Holds the slice, unless {@link #lent} does. */
  private byte[] bytes = NOTHING;

  /** Memory off the heap that holds the slice; null if an array does. */
  private @Nullable ByteBuffer lent;

  /** Whether the slice is there for a time only, wherever it is. */
  private boolean isLent;

  private int offset; // start of the slice
  int limit; // end of the slice
  int nulls = -1; // start of the null bitmap; -1: none
  int slots; // start of the fixed slots
  private int offsets; // start of the offset table
  private int offsetWidth; // its binary logarithm
  private int variable; // start of the variable area

  final boolean sameBytes(SlotView other) {
    return slice().equals(other.slice());
  }

  final int hashOfBytes() {
    return slice().hashCode();
  }

  private ByteBuffer slice() {
    ByteBuffer memory = lent;
    return memory == null
        ? ByteBuffer.wrap(bytes, offset, limit - offset)
        : memory.slice(offset, limit - offset);
  }

  /** Returns the start of the fixed slot of a field that must be stored in this way. */
  abstract int slot(int i, Storage wanted);

  /** Returns the index in the offset table of a field that must be variable. */
  abstract int variableIndex(int i);

  abstract Storage storage(int i);

  abstract RowLayout rowLayout(int i);

  abstract ArrayLayout arrayLayout(int i);

  final void begin(byte[] array, int start, int length) {
    Objects.checkFromIndexSize(start, length, array.length);
    bytes = array;
    lent = null;
    isLent = false;
    offset = start;
    limit = start + length;
  }

  /** Arrays are read faster than buffers, so buffers of arrays are not. */
  final void begin(LentBytes memory, int start, int length) {
    ByteBuffer body = memory.body();
    if (body.hasArray()) {
      begin(body.array(), body.arrayOffset() + start, length);
    } else {
      Objects.checkFromIndexSize(start, length, body.limit());
      bytes = NOTHING;
      lent = body;
      offset = start;
      limit = start + length;
    }
    isLent = true;
  }

  /** Returns the start of the slice. */
  final int start() {
    return offset;
  }

  final byte byteOf(int at) {
    ByteBuffer memory = lent;
    return memory == null ? bytes[at] : memory.get(at);
  }

  private short shortOf(int at) {
    ByteBuffer memory = lent;
    return memory == null ? LittleEndian.getShort(bytes, at) : memory.getShort(at);
  }

  private int intOf(int at) {
    ByteBuffer memory = lent;
    return memory == null ? LittleEndian.getInt(bytes, at) : memory.getInt(at);
  }

  private long longOf(int at) {
    ByteBuffer memory = lent;
    return memory == null ? LittleEndian.getLong(bytes, at) : memory.getLong(at);
  }

  /** Returns an unsigned number of 1, 2 or 4 bytes; of 4 bytes it may come out negative. */
  final int unsignedOf(int at, int log2Width) {
    return switch (log2Width) {
      case 0 -> byteOf(at) & 0xFF;
      case 1 -> shortOf(at) & 0xFFFF;
      default -> intOf(at);
    };
  }

  /**
   * Sets the areas; throws if they do not fit the slice.
   *
   * @param isKnown whether the header is one
   * @param at position after the header and the count
   */
  final void locate(
      int header, boolean isKnown, int at, int count, long fixedLength, int variableCount) {
    if (!isKnown) {
      throw Damage.found(describe() + ": unknown header 0x" + Integer.toHexString(header & 0xFF));
    }
    int width = RowBytes.offsetWidth(header);
    long slotsAt = (long) at + RowBytes.nullsLength(header, count);
    long offsetsAt = slotsAt + fixedLength;
    long variableAt = offsetsAt + RowBytes.offsetsLength(variableCount, width);
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
    nulls = RowBytes.hasNulls(header) ? at : -1;
    slots = (int) slotsAt;
    offsets = (int) offsetsAt;
    offsetWidth = width;
    variable = (int) variableAt;
  }

  /** Finds the areas in the slice. */
  abstract void locate();

  abstract String describe();

  abstract void checkPosition(int i);

  @Override
  public final byte[] bytes() {
    if (isLent) {
      throw new IllegalStateException("the " + describe() + " is lent: copy its fields");
    }
    return bytes;
  }

  @Override
  public final boolean isNull(int i) {
    checkPosition(i);
    return nulls >= 0 && RowBytes.isSet(byteOf(RowBytes.bitAt(nulls, i)), i);
  }

  @Override
  public final boolean booleanAt(int i) {
    byte value = byteOf(slot(i, Storage.BOOLEAN));
    if ((value & ~1) != 0) {
      throw Damage.found(describe() + ": field " + i + " is " + value + ", not a boolean");
    }
    return value != 0;
  }

  @Override
  public final byte byteAt(int i) {
    return byteOf(slot(i, Storage.BYTE));
  }

  @Override
  public final short shortAt(int i) {
    return shortOf(slot(i, Storage.SHORT));
  }

  @Override
  public final int intAt(int i) {
    return intOf(slot(i, Storage.INT));
  }

  @Override
  public final long longAt(int i) {
    return longOf(slot(i, Storage.LONG));
  }

  @Override
  public final float floatAt(int i) {
    return Float.intBitsToFloat(intOf(slot(i, Storage.FLOAT)));
  }

  @Override
  public final double doubleAt(int i) {
    return Double.longBitsToDouble(longOf(slot(i, Storage.DOUBLE)));
  }

  @Override
  public final long epochMillisAt(int i) {
    return longOf(slot(i, timestampStorage(i)));
  }

  @Override
  public final int nanosOfMilliAt(int i) {
    Storage storage = timestampStorage(i);
    int slot = slot(i, storage);
    return storage == Storage.TIMESTAMP_MILLIS
        ? 0
        : Decimals.checkNanos(intOf(slot + Storage.NANOS_OFFSET));
  }

  private Storage timestampStorage(int i) {
    return storage(i) == Storage.TIMESTAMP_NANOS
        ? Storage.TIMESTAMP_NANOS
        : Storage.TIMESTAMP_MILLIS;
  }

  @Override
  public final long unscaledAt(int i) {
    long unscaled = longOf(slot(i, Storage.DECIMAL_LONG));
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
    byte[] unscaled = copy(slice);
    return Decimals.read(unscaled, unscaled.length, type(i));
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
    return unsignedOf(RowBytes.offsetAt(offsets, k, offsetWidth), offsetWidth);
  }

  @Override
  public final byte[] bytesAt(int i) {
    return copy(sliceAt(i));
  }

  private byte[] copy(long slice) {
    byte[] copy = new byte[FieldView.length(slice)];
    ByteBuffer memory = lent;
    if (memory == null) {
      System.arraycopy(bytes, FieldView.offset(slice), copy, 0, copy.length);
    } else {
      memory.get(FieldView.offset(slice), copy);
    }
    return copy;
  }

  @Override
  public final String stringAt(int i) {
    if (storage(i) != Storage.TEXT) {
      throw new IllegalArgumentException("field " + i + " is " + type(i) + ", not text");
    }
    long slice = sliceAt(i);
    return lent == null
        ? new String(
            bytes, FieldView.offset(slice), FieldView.length(slice), StandardCharsets.UTF_8)
        : new String(copy(slice), StandardCharsets.UTF_8);
  }

  @Override
  public final ArrayView arrayAt(int i) {
    return nested(new ArrayView(arrayLayout(i)), i);
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
    return nested(new RowView(rowLayout(i)), i);
  }

  /** Wraps a view around a field, or a copy of it if it is lent, so that it may be kept. */
  private <V extends SlotView> V nested(V view, int i) {
    long slice = sliceAt(i);
    if (!isLent) {
      view.begin(bytes, FieldView.offset(slice), FieldView.length(slice));
    } else {
      byte[] own = copy(slice);
      view.begin(own, 0, own.length);
    }
    view.locate();
    return view;
  }
}
