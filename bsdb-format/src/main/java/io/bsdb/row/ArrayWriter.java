package io.bsdb.row;

import io.bsdb.format.row.LittleEndian;
import io.bsdb.format.row.RowBytes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Encodes one nested array: set the elements by position, then {@link #end()}. */
public final class ArrayWriter extends FieldWriter {
  private final ArrayLayout layout;
  private @Nullable FieldWriter nested;
  private int size;
  private int header;

  ArrayWriter(ArrayLayout layout, FieldWriter parent) {
    super(parent, 0, 0, 0);
    this.layout = layout;
  }

  void begin(int count) {
    if (count < 0) {
      throw new IllegalArgumentException("array of " + count + " elements");
    }
    int slotLength = checkedLength((long) count * layout.storage.width);
    int variableCount = variableCount(count);
    if (slots.length < slotLength) {
      slots = new byte[slotLength];
    }
    if (starts.length < variableCount) {
      starts = new int[variableCount];
      ends = new int[variableCount];
    }
    if (nulls.length < RowBytes.bitmapLength(count)) {
      nulls = new byte[RowBytes.bitmapLength(count)];
    }
    size = count;
    clear(count, slotLength, variableCount);
  }

  /**
   * Hands the array to the writer that it came from; throws {@link IllegalArgumentException} on a
   * null that is not allowed.
   */
  public void end() {
    endNested();
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  Column column(int i) {
    return layout.element;
  }

  @Override
  Storage storage(int i) {
    return layout.storage;
  }

  @Override
  int place(int i) {
    Objects.checkIndex(i, size);
    return layout.storage.isVariable() ? i : i * layout.storage.width;
  }

  private int variableCount(int count) {
    return layout.storage.isVariable() ? count : 0;
  }

  @Override
  FieldWriter nested(int i) {
    FieldWriter writer = nested;
    if (writer == null) {
      writer =
          layout.storage == Storage.ARRAY
              ? new ArrayWriter(layout.array(), this)
              : new RowWriter(layout.row(), this);
      nested = writer;
    }
    return writer;
  }

  @Override
  int measure() {
    checkEnded();
    boolean withNulls = false;
    int bitmapLength = RowBytes.bitmapLength(size);
    for (int k = 0; k < bitmapLength; k++) {
      int bits = nulls[k] & (k < bitmapLength - 1 ? 0xFF : RowBytes.lastBits(size));
      withNulls |= bits != 0;
    }
    if (withNulls && !layout.element.type().isNullable()) {
      throw new IllegalArgumentException(
          "array of " + layout.element.type() + " has an element without value");
    }
    int variableLength = variableLength(variableCount(size));
    int offsetWidth = LittleEndian.log2Width(variableLength);
    int countWidth = LittleEndian.log2Width(size);
    header = RowBytes.header(offsetWidth, withNulls, countWidth);
    return checkedLength(
        RowBytes.HEADER_LENGTH
            + (1 << countWidth)
            + RowBytes.nullsLength(header, size)
            + (long) size * layout.storage.width
            + RowBytes.offsetsLength(variableCount(size), offsetWidth)
            + variableLength);
  }

  @Override
  void encode(byte[] target, int at) {
    target[at] = (byte) header;
    at += RowBytes.HEADER_LENGTH;
    int countWidth = RowBytes.countWidth(header);
    LittleEndian.putUnsigned(target, at, countWidth, size);
    at = encodeNulls(header, target, at + (1 << countWidth), size);
    int slotLength = size * layout.storage.width;
    System.arraycopy(slots, 0, target, at, slotLength);
    encodeVariable(header, target, at + slotLength, variableCount(size));
  }
}
