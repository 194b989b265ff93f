package io.bsdb.flink.row;

import io.bsdb.row.ArrayWriter;
import io.bsdb.row.FieldWriter;
import io.bsdb.row.MapWriter;
import io.bsdb.row.RowWriter;
import java.util.List;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DistinctType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;

/** Writes one field or element, given as Flink's internal object of it. */
@FunctionalInterface
interface FieldSetter {
  /** Sets field {@code i}. */
  void set(FieldWriter target, int i, Object value);

  /** Returns the setter for fields of a type. */
  static FieldSetter of(LogicalType type) {
    return switch (type.getTypeRoot()) {
      case CHAR, VARCHAR -> FieldSetter::setString;
      case BOOLEAN -> (target, i, value) -> target.setBoolean(i, (Boolean) value);
      case BINARY, VARBINARY -> (target, i, value) -> target.setBytes(i, (byte[]) value);
      case DECIMAL -> FieldSetter::setDecimal;
      case TINYINT -> (target, i, value) -> target.setByte(i, (Byte) value);
      case SMALLINT -> (target, i, value) -> target.setShort(i, (Short) value);
      case INTEGER, DATE, TIME_WITHOUT_TIME_ZONE ->
          (target, i, value) -> target.setInt(i, (Integer) value);
      case BIGINT -> (target, i, value) -> target.setLong(i, (Long) value);
      case FLOAT -> (target, i, value) -> target.setFloat(i, (Float) value);
      case DOUBLE -> (target, i, value) -> target.setDouble(i, (Double) value);
      case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> FieldSetter::setTimestamp;
      case ARRAY -> array(((ArrayType) type).getElementType());
      case MAP -> map(((MapType) type).getKeyType(), ((MapType) type).getValueType());
      case ROW, STRUCTURED_TYPE -> row(type.getChildren());
      case DISTINCT_TYPE -> of(((DistinctType) type).getSourceType());
      default -> throw new IllegalArgumentException(type.asSummaryString());
    };
  }

  private static void setString(FieldWriter target, int i, Object value) {
    byte[] utf8 = ((StringData) value).toBytes();
    target.setUtf8(i, utf8, 0, utf8.length);
  }

  private static void setDecimal(FieldWriter target, int i, Object value) {
    DecimalData decimal = (DecimalData) value;
    if (decimal.isCompact()) {
      target.setUnscaled(i, decimal.toUnscaledLong());
    } else {
      target.setDecimal(i, decimal.toBigDecimal());
    }
  }

  private static void setTimestamp(FieldWriter target, int i, Object value) {
    TimestampData timestamp = (TimestampData) value;
    target.setTimestamp(i, timestamp.getMillisecond(), timestamp.getNanoOfMillisecond());
  }

  private static FieldSetter row(List<LogicalType> types) {
    FieldSetter[] setters = types.stream().map(FieldSetter::of).toArray(FieldSetter[]::new);
    RowData.FieldGetter[] getters = new RowData.FieldGetter[setters.length];
    for (int field = 0; field < getters.length; field++) {
      getters[field] = RowData.createFieldGetter(types.get(field), field);
    }
    return (target, i, value) -> {
      RowWriter writer = target.row(i);
      for (int field = 0; field < setters.length; field++) {
        Object content = getters[field].getFieldOrNull((RowData) value);
        if (content != null) {
          setters[field].set(writer, field, content);
        }
      }
      writer.end();
    };
  }

  private static FieldSetter array(LogicalType elementType) {
    Elements elements = Elements.of(elementType);
    return (target, i, value) -> {
      ArrayData array = (ArrayData) value;
      ArrayWriter writer = target.array(i, array.size());
      elements.write(writer, array);
      writer.end();
    };
  }

  private static FieldSetter map(LogicalType keyType, LogicalType valueType) {
    Elements keys = Elements.of(keyType);
    Elements values = Elements.of(valueType);
    return (target, i, value) -> {
      MapData map = (MapData) value;
      MapWriter writer = target.map(i, map.size());
      keys.write(writer.keys(), map.keyArray());
      values.write(writer.values(), map.valueArray());
      writer.end();
    };
  }

  /** Writes the elements of an array. */
  record Elements(ArrayData.ElementGetter getter, FieldSetter setter) {
    static Elements of(LogicalType type) {
      return new Elements(ArrayData.createElementGetter(type), FieldSetter.of(type));
    }

    void write(FieldWriter target, ArrayData array) {
      for (int i = 0; i < array.size(); i++) {
        Object element = getter.getElementOrNull(array, i);
        if (element != null) {
          setter.set(target, i, element);
        }
      }
    }
  }
}
