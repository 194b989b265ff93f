package io.bsdb.row;

import io.bsdb.format.row.RowBytes;
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
    int countWidth = RowBytes.countWidth(header);
    int at = offset + RowBytes.HEADER_LENGTH;
    if (!RowBytes.isWidth(countWidth) || length - RowBytes.HEADER_LENGTH < (1 << countWidth)) {
      throw Damage.found(
          "array: bad header 0x" + Integer.toHexString(header & 0xFF) + " of " + length + " bytes");
    }
    int count = unsignedOf(at, countWidth);
    if (count < 0) {
      throw Damage.found(
          "array: " + Integer.toUnsignedString(count) + " elements in " + length + " bytes");
    }
    // Every element takes at least a byte, so a count beyond the slice does not pass.
    int width = layout.storage.width;
    locate(
        header,
        RowBytes.isArray(header),
        at + (1 << countWidth),
        count,
        (long) count * width,
        width == 0 ? count : 0);
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
