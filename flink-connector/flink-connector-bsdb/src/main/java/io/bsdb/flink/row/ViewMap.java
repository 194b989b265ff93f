package io.bsdb.flink.row;

import io.bsdb.row.MapView;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.MapData;

/** A map read in place. */
record ViewMap(MapView view) implements MapData {
  @Override
  public int size() {
    return view.size();
  }

  @Override
  public ArrayData keyArray() {
    return new ViewArray(view.keys());
  }

  @Override
  public ArrayData valueArray() {
    return new ViewArray(view.values());
  }
}
