package io.bsdb.flink.row;

import io.bsdb.row.ArrayView;
import org.apache.flink.table.data.ArrayData;

/** An array read in place. */
final class ViewArray extends ViewFields implements ArrayData {
  private final FieldReader elements;

  ViewArray(ArrayView view, FieldReader elements) {
    super(view);
    this.elements = elements;
  }

  @Override
  FieldReader reader(int pos) {
    return elements;
  }

  @Override
  public int size() {
    return view.size();
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
