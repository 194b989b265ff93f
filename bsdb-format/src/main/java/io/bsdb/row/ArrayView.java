package io.bsdb.row;

import java.util.Objects;

/** An array read in place; positions are those of its elements. */
public final class ArrayView extends SlotView {
  private final ArrayLayout layout;
  private int size;

  ArrayView(ArrayLayout layout) {
    this.layout = layout;
  }

  @Override
  void locate() {
    int offset = start();
    int length = limit - offset;
    size = 0;
    if (length == 0) {
      throw Damage.found("array: empty, expected a header");
    }
    int header = byteOf(offset);
    int log2CountWidth = (header >>> RowLayout.COUNT_WIDTH_SHIFT) & 0b11;
    int at = offset + 1;
    if (log2CountWidth == 3 || length - 1 < (1 << log2CountWidth)) {
      throw Damage.found(
          "array: bad header 0x" + Integer.toHexString(header & 0xFF) + " of " + length + " bytes");
    }
    int count = unsignedOf(at, log2CountWidth);
    if (count < 0) {
      throw Damage.found(
          "array: " + Integer.toUnsignedString(count) + " elements in " + length + " bytes");
    }
    // Every element takes at least a byte, so a count beyond the slice does not pass.
    int width = layout.storage.width;
    locate(
        header,
        at + (1 << log2CountWidth),
        count,
        (long) count * width,
        width == 0 ? count : 0,
        RowLayout.ARRAY_RESERVED);
    size = count;
  }

  @Override
  public int size() {
    return size;
  }

  /** Returns the type of the elements. */
  public ColumnType elementType() {
    return layout.element.type();
  }

  @Override
  public ColumnType type(int i) {
    return layout.element.type();
  }

  @Override
  int slot(int i, Storage wanted) {
    checkPosition(i);
    if (layout.storage != wanted) {
      throw RowLayout.mismatch(layout.element, wanted.toString());
    }
    return slots + i * wanted.width;
  }

  @Override
  int variableIndex(int i) {
    checkPosition(i);
    if (!layout.storage.isVariable()) {
      throw RowLayout.mismatch(layout.element, "bytes");
    }
    return i;
  }

  @Override
  Storage storage(int i) {
    return layout.storage;
  }

  @Override
  RowLayout rowLayout(int i) {
    return layout.row();
  }

  @Override
  ArrayLayout arrayLayout(int i) {
    return layout.array();
  }

  @Override
  String describe() {
    return "array";
  }

  @Override
  void checkPosition(int i) {
    Objects.checkIndex(i, size);
  }
}
