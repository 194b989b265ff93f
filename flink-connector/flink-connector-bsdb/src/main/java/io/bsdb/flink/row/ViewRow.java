package io.bsdb.flink.row;

import io.bsdb.row.FieldView;
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

/**
 * A row that is decoded field by field, when somebody asks. It shares its bytes with nobody, so it
 * stays valid for as long as it is kept.
 */
abstract sealed class ViewRow implements RowData permits SnapshotRow, NestedRow {
  private RowKind kind = RowKind.INSERT;

  /** Returns the view that holds a field. */
  abstract FieldView view(int pos);

  /** Returns the field's position in {@link #view}. */
  abstract int index(int pos);

  @Override
  public final RowKind getRowKind() {
    return kind;
  }

  @Override
  public final void setRowKind(RowKind kind) {
    this.kind = kind;
  }

  @Override
  public final boolean getBoolean(int pos) {
    return view(pos).booleanAt(index(pos));
  }

  @Override
  public final byte getByte(int pos) {
    return view(pos).byteAt(index(pos));
  }

  @Override
  public final short getShort(int pos) {
    return view(pos).shortAt(index(pos));
  }

  @Override
  public final int getInt(int pos) {
    return view(pos).intAt(index(pos));
  }

  @Override
  public final long getLong(int pos) {
    return view(pos).longAt(index(pos));
  }

  @Override
  public final float getFloat(int pos) {
    return view(pos).floatAt(index(pos));
  }

  @Override
  public final double getDouble(int pos) {
    return view(pos).doubleAt(index(pos));
  }

  @Override
  public final StringData getString(int pos) {
    return ViewFields.string(view(pos), index(pos));
  }

  @Override
  public final DecimalData getDecimal(int pos, int precision, int scale) {
    return ViewFields.decimal(view(pos), index(pos), precision, scale);
  }

  @Override
  public final TimestampData getTimestamp(int pos, int precision) {
    return ViewFields.timestamp(view(pos), index(pos));
  }

  @Override
  public final <T> RawValueData<T> getRawValue(int pos) {
    throw ViewFields.unsupported();
  }

  @Override
  public final byte[] getBinary(int pos) {
    return view(pos).bytesAt(index(pos));
  }

  @Override
  public final ArrayData getArray(int pos) {
    return new ViewArray(view(pos).arrayAt(index(pos)));
  }

  @Override
  public final MapData getMap(int pos) {
    return new ViewMap(view(pos).mapAt(index(pos)));
  }

  @Override
  public final RowData getRow(int pos, int numFields) {
    return new NestedRow(view(pos).rowAt(index(pos)));
  }

  @Override
  public final Variant getVariant(int pos) {
    throw ViewFields.unsupported();
  }

  @Override
  public final Bitmap getBitmap(int pos) {
    throw ViewFields.unsupported();
  }

  @Override
  public final String toString() {
    return "%s(%d fields)".formatted(kind.shortString(), getArity());
  }
}
