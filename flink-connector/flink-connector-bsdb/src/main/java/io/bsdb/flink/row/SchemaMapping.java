package io.bsdb.flink.row;

import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.ColumnType.Kind;
import io.bsdb.row.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.BinaryType;
import org.apache.flink.table.types.logical.CharType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DistinctType;
import org.apache.flink.table.types.logical.LocalZonedTimestampType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.StructuredType;
import org.apache.flink.table.types.logical.TimeType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarBinaryType;
import org.apache.flink.table.types.logical.VarCharType;

/** Translates what a DDL declares into a snapshot's schema. */
public final class SchemaMapping {
  private SchemaMapping() {}

  /**
   * Returns the schema that a table built from these columns has.
   *
   * @param ipColumns names of columns of IP addresses
   * @throws ValidationException if a column's type cannot be stored, or cannot be part of a key
   */
  public static Schema schema(RowType rowType, List<String> primaryKey, Set<String> ipColumns) {
    for (String name : ipColumns) {
      if (!rowType.getFieldNames().contains(name)) {
        throw new ValidationException(
            "there is no column '%s' to hold IP addresses; expected one of %s"
                .formatted(name, rowType.getFieldNames()));
      }
    }
    List<Column> columns = new ArrayList<>();
    for (RowType.RowField field : rowType.getFields()) {
      try {
        ColumnType type = type(field.getType());
        columns.add(
            new Column(
                field.getName(), ipColumns.contains(field.getName()) ? addresses(type) : type));
      } catch (IllegalArgumentException e) {
        throw new ValidationException(
            "column '%s': %s".formatted(field.getName(), e.getMessage()), e);
      }
    }
    try {
      return Schema.of(columns, primaryKey);
    } catch (IllegalArgumentException e) {
      throw new ValidationException(e.getMessage(), e);
    }
  }

  private static ColumnType addresses(ColumnType type) {
    ColumnType addresses = type.ofAddresses();
    if (!addresses.equals(type)) {
      throw new IllegalArgumentException(
          "IP addresses are BINARY(16), or BIGINT for IPv4; this is " + type);
    }
    return addresses;
  }

  /**
   * Returns the stored type of a Flink type: structured types are stored as rows, distinct types as
   * what they are made of.
   *
   * @throws IllegalArgumentException if it cannot be stored
   */
  public static ColumnType type(LogicalType type) {
    ColumnType stored = nullableType(type);
    return type.isNullable() ? stored : stored.notNull();
  }

  private static ColumnType nullableType(LogicalType type) {
    return switch (type.getTypeRoot()) {
      case CHAR -> ColumnType.charOf(((CharType) type).getLength());
      case VARCHAR -> ColumnType.varchar(((VarCharType) type).getLength());
      case BOOLEAN -> ColumnType.of(Kind.BOOLEAN);
      case BINARY -> ColumnType.binary(((BinaryType) type).getLength());
      case VARBINARY -> ColumnType.varbinary(((VarBinaryType) type).getLength());
      case DECIMAL ->
          ColumnType.decimal(((DecimalType) type).getPrecision(), ((DecimalType) type).getScale());
      case TINYINT -> ColumnType.of(Kind.TINYINT);
      case SMALLINT -> ColumnType.of(Kind.SMALLINT);
      case INTEGER -> ColumnType.of(Kind.INT);
      case BIGINT -> ColumnType.of(Kind.BIGINT);
      case FLOAT -> ColumnType.of(Kind.FLOAT);
      case DOUBLE -> ColumnType.of(Kind.DOUBLE);
      case DATE -> ColumnType.of(Kind.DATE);
      case TIME_WITHOUT_TIME_ZONE -> ColumnType.time(((TimeType) type).getPrecision());
      case TIMESTAMP_WITHOUT_TIME_ZONE ->
          ColumnType.timestamp(((TimestampType) type).getPrecision());
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE ->
          ColumnType.timestampLtz(((LocalZonedTimestampType) type).getPrecision());
      case ARRAY -> ColumnType.array(type(((ArrayType) type).getElementType()));
      case MAP ->
          ColumnType.map(
              type(((MapType) type).getKeyType()), type(((MapType) type).getValueType()));
      case ROW -> row((RowType) type);
      case STRUCTURED_TYPE -> row((StructuredType) type);
      case DISTINCT_TYPE -> type(((DistinctType) type).getSourceType()).nullable();
      default ->
          throw new IllegalArgumentException(
              "type %s cannot be stored in a table; cast it to another type"
                  .formatted(type.asSummaryString()));
    };
  }

  private static ColumnType row(RowType type) {
    return ColumnType.row(
        type.getFields().stream()
            .map(field -> new Column(field.getName(), type(field.getType())))
            .toList());
  }

  private static ColumnType row(StructuredType type) {
    return ColumnType.row(
        type.getAttributes().stream()
            .map(attribute -> new Column(attribute.getName(), type(attribute.getType())))
            .toList());
  }
}
