package io.bsdb.flink.row;

import io.bsdb.row.MapView;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.runtime.typeutils.MapDataSerializer;
import org.apache.flink.table.types.logical.MapType;

/** A map read in place. */
record ViewMap(MapView view, MapType type) implements MapData {
  /** Returns a copy in Flink's binary form: code that Flink generates casts maps to its classes. */
  MapData binary() {
    return new MapDataSerializer(type.getKeyType(), type.getValueType()).toBinaryMap(this);
  }

  @Override
  public int size() {
    return view.size();
  }

  @Override
  public ArrayData keyArray() {
    return new ViewArray(view.keys(), type.getKeyType());
  }

  @Override
  public ArrayData valueArray() {
    return new ViewArray(view.values(), type.getValueType());
  }
}
