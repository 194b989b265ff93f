package io.bsdb.flink.row;

import io.bsdb.row.FieldView;
import io.bsdb.row.KeyView;
import io.bsdb.row.Schema;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RawValueData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.types.RowKind;
import org.apache.flink.types.bitmap.Bitmap;
import org.apache.flink.types.variant.Variant;

/** A row inside a row, or the columns of a key: read field by field, when somebody asks. */
final class ViewRow implements RowData {
  private final FieldView view;
  private RowKind kind = RowKind.INSERT;

  ViewRow(FieldView view) {
    this.view = view;
  }

  /** Returns the columns of a key, in its own order. */
  static ViewRow ofKey(Schema schema, byte[] key) {
    return new ViewRow(KeyView.of(schema).wrap(key));
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
  public RowKind getRowKind() {
    return kind;
  }

  @Override
  public void setRowKind(RowKind kind) {
    this.kind = kind;
  }

  @Override
  public boolean getBoolean(int pos) {
    return view.booleanAt(pos);
  }

  @Override
  public byte getByte(int pos) {
    return view.byteAt(pos);
  }

  @Override
  public short getShort(int pos) {
    return view.shortAt(pos);
  }

  @Override
  public int getInt(int pos) {
    return view.intAt(pos);
  }

  @Override
  public long getLong(int pos) {
    return view.longAt(pos);
  }

  @Override
  public float getFloat(int pos) {
    return view.floatAt(pos);
  }

  @Override
  public double getDouble(int pos) {
    return view.doubleAt(pos);
  }

  @Override
  public StringData getString(int pos) {
    return ViewFields.string(view, pos);
  }

  @Override
  public DecimalData getDecimal(int pos, int precision, int scale) {
    return ViewFields.decimal(view, pos, precision, scale);
  }

  @Override
  public TimestampData getTimestamp(int pos, int precision) {
    return ViewFields.timestamp(view, pos);
  }

  @Override
  public <T> RawValueData<T> getRawValue(int pos) {
    throw ViewFields.unsupported();
  }

  @Override
  public byte[] getBinary(int pos) {
    return view.bytesAt(pos);
  }

  @Override
  public ArrayData getArray(int pos) {
    return new ViewArray(view.arrayAt(pos));
  }

  @Override
  public MapData getMap(int pos) {
    return new ViewMap(view.mapAt(pos));
  }

  @Override
  public RowData getRow(int pos, int numFields) {
    return new ViewRow(view.rowAt(pos));
  }

  @Override
  public Variant getVariant(int pos) {
    throw ViewFields.unsupported();
  }

  @Override
  public Bitmap getBitmap(int pos) {
    throw ViewFields.unsupported();
  }

  @Override
  public String toString() {
    return "%s(%d fields)".formatted(kind.shortString(), getArity());
  }
}
