package io.bsdb.flink.row;

import io.bsdb.format.row.FieldView;
import io.bsdb.format.row.KeyView;
import io.bsdb.format.row.RowView;

/** A table's row: key columns are read from the key, the others from the value. */
final class SnapshotRow extends ViewRow {
  private final KeyView key;
  private final RowView value;
  private final int[] fields;

  /**
   * @param fields by position in this row: a value position, or −1 minus a key position
   */
  SnapshotRow(KeyView key, RowView value, int[] fields) {
    this.key = key;
    this.value = value;
    this.fields = fields;
  }

  @Override
  public int getArity() {
    return fields.length;
  }

  @Override
  FieldView view(int pos) {
    return fields[pos] >= 0 ? value : key;
  }

  @Override
  int index(int pos) {
    int field = fields[pos];
    return field >= 0 ? field : -1 - field;
  }
}
