package io.bsdb.flink.row;

import io.bsdb.row.ArrayView;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RawValueData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.types.bitmap.Bitmap;
import org.apache.flink.types.variant.Variant;

/** An array read in place. */
final class ViewArray implements ArrayData {
  private final ArrayView view;

  ViewArray(ArrayView view) {
    this.view = view;
  }

  @Override
  public int size() {
    return view.size();
  }

  @Override
  public boolean isNullAt(int pos) {
    return view.isNull(pos);
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
  public boolean[] toBooleanArray() {
    boolean[] array = new boolean[view.size()];
    for (int i = 0; i < array.length; i++) {
      array[i] = view.booleanAt(i);
    }
    return array;
  }

  @Override
  public byte[] toByteArray() {
    byte[] array = new byte[view.size()];
    for (int i = 0; i < array.length; i++) {
      array[i] = view.byteAt(i);
    }
    return array;
  }

  @Override
  public short[] toShortArray() {
    short[] array = new short[view.size()];
    for (int i = 0; i < array.length; i++) {
      array[i] = view.shortAt(i);
    }
    return array;
  }

  @Override
  public int[] toIntArray() {
    int[] array = new int[view.size()];
    for (int i = 0; i < array.length; i++) {
      array[i] = view.intAt(i);
    }
    return array;
  }

  @Override
  public long[] toLongArray() {
    long[] array = new long[view.size()];
    for (int i = 0; i < array.length; i++) {
      array[i] = view.longAt(i);
    }
    return array;
  }

  @Override
  public float[] toFloatArray() {
    float[] array = new float[view.size()];
    for (int i = 0; i < array.length; i++) {
      array[i] = view.floatAt(i);
    }
    return array;
  }

  @Override
  public double[] toDoubleArray() {
    double[] array = new double[view.size()];
    for (int i = 0; i < array.length; i++) {
      array[i] = view.doubleAt(i);
    }
    return array;
  }
}
