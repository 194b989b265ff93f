package io.bsdb.flink.row;

import io.bsdb.row.FieldView;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RawValueData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryStringData;
import org.apache.flink.types.bitmap.Bitmap;
import org.apache.flink.types.variant.Variant;

/**
 * Fields of a row or elements of an array, read when somebody asks. Flink's objects of them refer
 * to no bytes but their own.
 */
abstract class ViewFields {
  /** Maximum number of digits of a decimal that Flink, too, holds as a long. */
  private static final int MAX_COMPACT_PRECISION = 18;

  final FieldView view;

  ViewFields(FieldView view) {
    this.view = view;
  }

  /** Returns the reader of a field that has fields itself, or elements. */
  abstract FieldReader reader(int pos);

  static StringData string(FieldView view, int i) {
    return BinaryStringData.fromBytes(view.bytesAt(i));
  }

  static DecimalData decimal(FieldView view, int i, int precision, int scale) {
    return precision <= MAX_COMPACT_PRECISION
        ? DecimalData.fromUnscaledLong(view.unscaledAt(i), precision, scale)
        : DecimalData.fromBigDecimal(view.decimalAt(i), precision, scale);
  }

  static TimestampData timestamp(FieldView view, int i) {
    return TimestampData.fromEpochMillis(view.epochMillisAt(i), view.nanosOfMilliAt(i));
  }

  /** Returns what accessors of types throw that no table has. */
  private static UnsupportedOperationException unsupported() {
    return new UnsupportedOperationException("no column of a bsdb table has this type");
  }

  public boolean isNullAt(int pos) {
    return view.isNull(pos);
  }

  public boolean getBoolean(int pos) {
    return view.booleanAt(pos);
  }

  public byte getByte(int pos) {
    return view.byteAt(pos);
  }

  public short getShort(int pos) {
    return view.shortAt(pos);
  }

  public int getInt(int pos) {
    return view.intAt(pos);
  }

  public long getLong(int pos) {
    return view.longAt(pos);
  }

  public float getFloat(int pos) {
    return view.floatAt(pos);
  }

  public double getDouble(int pos) {
    return view.doubleAt(pos);
  }

  public StringData getString(int pos) {
    return string(view, pos);
  }

  public DecimalData getDecimal(int pos, int precision, int scale) {
    return decimal(view, pos, precision, scale);
  }

  public TimestampData getTimestamp(int pos, int precision) {
    return timestamp(view, pos);
  }

  public <T> RawValueData<T> getRawValue(int pos) {
    throw unsupported();
  }

  public byte[] getBinary(int pos) {
    return view.bytesAt(pos);
  }

  public ArrayData getArray(int pos) {
    return (ArrayData) nested(pos);
  }

  public MapData getMap(int pos) {
    return (MapData) nested(pos);
  }

  public RowData getRow(int pos, int numFields) {
    return (RowData) nested(pos);
  }

  private Object nested(int pos) {
    return reader(pos).read(view, pos);
  }

  public Variant getVariant(int pos) {
    throw unsupported();
  }

  public Bitmap getBitmap(int pos) {
    throw unsupported();
  }
}
