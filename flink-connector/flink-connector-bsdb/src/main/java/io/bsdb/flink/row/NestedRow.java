package io.bsdb.flink.row;

import io.bsdb.row.FieldView;
import io.bsdb.row.RowView;

/** A row inside a row. */
final class NestedRow extends ViewRow {
  private final RowView view;

  NestedRow(RowView view) {
    this.view = view;
  }

  @Override
  public int getArity() {
    return view.size();
  }

  @Override
  public boolean isNullAt(int pos) {
    return view.isNull(pos);
  }

  @Override
  FieldView view(int pos) {
    return view;
  }

  @Override
  int index(int pos) {
    return pos;
  }
}
