package io.bsdb.row;

import io.bsdb.format.Internal;
import java.time.LocalTime;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * From Java objects to encoded fields, as in the table of {@link RowCodec}.
 *
 * @hidden
 */
@Internal
public final class FieldEncoder {
  private FieldEncoder() {}

  /**
   * Writes the next field of a key. With a time that is finer than its column the key does not fit.
   *
   * @throws IllegalArgumentException if the column cannot hold the value
   */
  public static void write(KeyWriter key, Column column, @Nullable Object value) {
    if (value == null) {
      throw new IllegalArgumentException("key column '" + column.name() + "' is null");
    }
    switch (Storage.of(column.type())) {
      case TEXT -> key.writeString(JavaValues.as(String.class, value, column));
      case BYTES -> key.writeBytes(JavaValues.as(byte[].class, value, column));
      case BOOLEAN -> key.writeBoolean(JavaValues.as(Boolean.class, value, column));
      case BYTE ->
          key.writeByte((byte) JavaValues.integer(value, column, Byte.MIN_VALUE, Byte.MAX_VALUE));
      case SHORT ->
          key.writeShort(
              (short) JavaValues.integer(value, column, Short.MIN_VALUE, Short.MAX_VALUE));
      case INT -> {
        if (column.type().kind() == ColumnType.Kind.TIME) {
          key.writeTime(JavaValues.as(LocalTime.class, value, column));
        } else {
          key.writeInt(JavaValues.toInt(value, column));
        }
      }
      case LONG -> key.writeLong(JavaValues.integer(value, column, Long.MIN_VALUE, Long.MAX_VALUE));
      case FLOAT -> key.writeFloat(JavaValues.as(Float.class, value, column));
      case DOUBLE -> key.writeDouble(JavaValues.floating(value, column));
      case DECIMAL_LONG, DECIMAL_BYTES -> key.writeDecimal(JavaValues.decimal(value, column));
      case TIMESTAMP_MILLIS, TIMESTAMP_NANOS -> {
        var instant = JavaValues.instant(value, column);
        key.writeTimestamp(
            JavaValues.epochMillis(instant, column), JavaValues.nanosOfMilli(instant));
      }
      case ARRAY, MAP, ROW -> throw new IllegalArgumentException(column + " cannot be in a key");
    }
  }

  /**
   * Writes a field.
   *
   * @throws IllegalArgumentException if the field cannot hold the value
   */
  public static void write(FieldWriter fields, int i, @Nullable Object value) {
    if (value == null) {
      fields.setNull(i);
      return;
    }
    Column column = fields.column(i);
    switch (fields.storage(i)) {
      case TEXT -> fields.setString(i, JavaValues.as(String.class, value, column));
      case BYTES -> fields.setBytes(i, JavaValues.as(byte[].class, value, column));
      case BOOLEAN -> fields.setBoolean(i, JavaValues.as(Boolean.class, value, column));
      case BYTE ->
          fields.setByte(
              i, (byte) JavaValues.integer(value, column, Byte.MIN_VALUE, Byte.MAX_VALUE));
      case SHORT ->
          fields.setShort(
              i, (short) JavaValues.integer(value, column, Short.MIN_VALUE, Short.MAX_VALUE));
      case INT -> fields.setInt(i, JavaValues.toInt(value, column));
      case LONG ->
          fields.setLong(i, JavaValues.integer(value, column, Long.MIN_VALUE, Long.MAX_VALUE));
      case FLOAT -> fields.setFloat(i, JavaValues.as(Float.class, value, column));
      case DOUBLE -> fields.setDouble(i, JavaValues.floating(value, column));
      case DECIMAL_LONG, DECIMAL_BYTES -> fields.setDecimal(i, JavaValues.decimal(value, column));
      case TIMESTAMP_MILLIS, TIMESTAMP_NANOS -> {
        var instant = JavaValues.toInstant(value, column);
        fields.setTimestamp(
            i, JavaValues.epochMillis(instant, column), JavaValues.nanosOfMilli(instant));
      }
      case ARRAY -> writeArray(fields, i, JavaValues.as(List.class, value, column));
      case MAP -> writeMap(fields, i, JavaValues.as(Map.class, value, column));
      case ROW -> writeRow(fields, i, column, value);
    }
  }

  private static void writeArray(FieldWriter fields, int i, List<?> elements) {
    ArrayWriter array = fields.array(i, elements.size());
    int at = 0;
    for (Object element : elements) {
      write(array, at++, element);
    }
    array.end();
  }

  private static void writeMap(FieldWriter fields, int i, Map<?, ?> entries) {
    MapWriter map = fields.map(i, entries.size());
    int at = 0;
    for (Map.Entry<?, ?> entry : entries.entrySet()) {
      write(map.keys(), at, entry.getKey());
      write(map.values(), at++, entry.getValue());
    }
    map.end();
  }

  private static void writeRow(FieldWriter fields, int i, Column column, Object value) {
    RowWriter row = fields.row(i);
    if (value instanceof Map<?, ?> named) {
      writeNamed(row, column.type().fields(), named);
    } else if (value instanceof List<?> list) {
      writeAll(row, list.toArray());
    } else if (value instanceof Object[] array) {
      writeAll(row, array);
    } else {
      throw JavaValues.wrongClass("Map, List or Object[]", value, column);
    }
    row.end();
  }

  /** Values by name; names that are missing are null, unknown names an error. */
  static void writeNamed(RowWriter row, List<Column> fields, Map<?, ?> named) {
    int found = 0;
    for (int f = 0; f < fields.size(); f++) {
      String name = fields.get(f).name();
      if (named.containsKey(name)) {
        write(row, f, named.get(name));
        found++;
      }
    }
    if (found < named.size()) {
      List<String> names = fields.stream().map(Column::name).toList();
      throw new IllegalArgumentException(
          "no column %s among %s"
              .formatted(
                  named.keySet().stream().filter(name -> !names.contains(name)).toList(), names));
    }
  }

  static void writeAll(RowWriter row, @Nullable Object[] values) {
    if (values.length != row.size()) {
      throw new IllegalArgumentException(values.length + " values for " + row.size() + " columns");
    }
    for (int f = 0; f < values.length; f++) {
      write(row, f, values[f]);
    }
  }
}
