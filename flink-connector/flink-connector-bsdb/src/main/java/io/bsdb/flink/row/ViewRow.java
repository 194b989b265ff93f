package io.bsdb.flink.row;

import io.bsdb.row.FieldView;
import io.bsdb.row.KeyView;
import io.bsdb.row.Schema;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;

/** A row inside a row, or the columns of a key: read field by field, when somebody asks. */
final class ViewRow extends ViewFields implements RowData {
  private static final FieldReader[] NONE = {};

  private final FieldReader[] fields;
  private RowKind kind = RowKind.INSERT;

  ViewRow(FieldView view, FieldReader[] fields) {
    super(view);
    this.fields = fields;
  }

  /** Returns the columns of a key, in its own order. */
  static ViewRow ofKey(Schema schema, byte[] key) {
    return new ViewRow(KeyView.of(schema).wrap(key), NONE);
  }

  @Override
  FieldReader reader(int pos) {
    return fields[pos];
  }

  @Override
  public int getArity() {
    return view.size();
  }

  @Override
  public RowKind getRowKind() {
    return kind;
  }

  @Override
  public void setRowKind(RowKind kind) {
    this.kind = kind;
  }

  @Override
  public String toString() {
    return "%s(%d fields)".formatted(kind.shortString(), getArity());
  }
}
