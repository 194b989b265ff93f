package io.bsdb.row;

import org.jspecify.annotations.Nullable;

/** Layout of encoded arrays of one element type. */
final class ArrayLayout {
  final Column element;
  final Storage storage;
  private final @Nullable RowLayout row;
  private final @Nullable ArrayLayout array;

  ArrayLayout(ColumnType elementType) {
    this.element = new Column("element", elementType);
    this.storage = Storage.of(elementType);
    this.row = RowLayout.nestedRow(elementType);
    this.array = storage == Storage.ARRAY ? new ArrayLayout(elementType.elementType()) : null;
  }

  RowLayout row() {
    if (row == null) {
      throw RowLayout.mismatch(element, "a row");
    }
    return row;
  }

  ArrayLayout array() {
    if (array == null) {
      throw RowLayout.mismatch(element, "an array");
    }
    return array;
  }
}
