package io.bsdb.flink.row;

import io.bsdb.row.ArrayView;
import io.bsdb.row.FieldView;
import io.bsdb.row.MapView;
import org.apache.flink.table.data.binary.BinaryArrayData;
import org.apache.flink.table.data.binary.BinaryMapData;
import org.apache.flink.table.data.writer.BinaryArrayWriter;
import org.apache.flink.table.data.writer.BinaryWriter;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.VarBinaryType;

/** Reads maps into Flink's binary form: code that Flink generates casts maps to its classes. */
record MapReader(Elements keys, Elements values) implements FieldReader {
  static MapReader of(MapType type) {
    return new MapReader(Elements.of(type.getKeyType()), Elements.of(type.getValueType()));
  }

  @Override
  public Object read(FieldView view, int i) {
    MapView map = view.mapAt(i);
    return BinaryMapData.valueOf(keys.copy(map.keys()), values.copy(map.values()));
  }

  /** The keys or the values, of which each takes {@code size} bytes and what it refers to. */
  private record Elements(
      LogicalType type, FieldReader reader, BinaryArrayWriter.NullSetter nulls, int size) {
    static Elements of(LogicalType elementType) {
      // Texts are written as their bytes are, and those are cheaper to read.
      LogicalType type =
          elementType.is(LogicalTypeFamily.CHARACTER_STRING) ? new VarBinaryType() : elementType;
      return new Elements(
          type,
          FieldReader.of(type),
          BinaryArrayWriter.createNullSetter(type),
          BinaryArrayData.calculateFixLengthPartSize(type));
    }

    BinaryArrayData copy(ArrayView view) {
      BinaryArrayData array = new BinaryArrayData();
      BinaryArrayWriter writer = new BinaryArrayWriter(array, view.size(), size);
      BinaryWriter.ValueSetter setter = BinaryWriter.createValueSetter(type); // not thread-safe
      for (int i = 0; i < view.size(); i++) {
        if (view.isNull(i)) {
          nulls.setNull(writer, i);
        } else {
          setter.setValue(writer, i, reader.read(view, i));
        }
      }
      writer.complete();
      return array;
    }
  }
}
