package io.bsdb.row;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Encodes one nested array: set the elements by position, then {@link #end()}. */
public final class ArrayWriter extends FieldWriter {
  private final ArrayLayout layout;
  private @Nullable FieldWriter nested;
  private int size;
  private int log2OffsetWidth;
  private boolean withNulls;

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
    if (nulls.length < RowLayout.bitmapLength(count)) {
      nulls = new byte[RowLayout.bitmapLength(count)];
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
    withNulls = false;
    int bitmapLength = RowLayout.bitmapLength(size);
    for (int k = 0; k < bitmapLength; k++) {
      int bits = nulls[k] & (k < bitmapLength - 1 ? 0xFF : 0xFF >>> (-size & 7));
      withNulls |= bits != 0;
    }
    if (withNulls && !layout.element.type().isNullable()) {
      throw new IllegalArgumentException(
          "array of " + layout.element.type() + " has an element without value");
    }
    int variableLength = variableLength(variableCount(size));
    log2OffsetWidth = LittleEndian.log2Width(variableLength);
    return checkedLength(
        1L
            + (1 << LittleEndian.log2Width(size))
            + (withNulls ? bitmapLength : 0)
            + (long) size * layout.storage.width
            + ((long) variableCount(size) << log2OffsetWidth)
            + variableLength);
  }

  @Override
  void encode(byte[] target, int at) {
    int log2CountWidth = LittleEndian.log2Width(size);
    target[at++] =
        (byte)
            (log2OffsetWidth
                | (withNulls ? RowLayout.HAS_NULLS : 0)
                | log2CountWidth << RowLayout.COUNT_WIDTH_SHIFT);
    LittleEndian.putUnsigned(target, at, log2CountWidth, size);
    at += 1 << log2CountWidth;
    if (withNulls) {
      at = encodeNulls(target, at, size);
    }
    int slotLength = size * layout.storage.width;
    System.arraycopy(slots, 0, target, at, slotLength);
    encodeVariable(target, at + slotLength, log2OffsetWidth, variableCount(size));
  }
}
