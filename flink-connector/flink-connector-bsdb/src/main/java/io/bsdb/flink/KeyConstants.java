package io.bsdb.flink;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.KeyEncoder;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.utils.TypeConversions;
import org.jspecify.annotations.Nullable;

/** Encodes constants of a query as keys, or as what keys begin with, as the DDL has them. */
final class KeyConstants {
  private final List<LogicalType> types;
  private final KeyEncoder encoder;

  /**
   * @param columns number of leading key columns that there are constants of
   */
  KeyConstants(DeclaredTable table, int columns) {
    List<String> names = table.primaryKey().subList(0, columns);
    this.types = names.stream().map(table::type).toList();
    this.encoder =
        KeyEncoder.of(
            table.schema(),
            table,
            names.stream().mapToInt(table.rowType()::getFieldIndex).toArray(),
            columns);
  }

  /** Returns the type of a key column's constants. */
  static DataType dataType(LogicalType type) {
    return TypeConversions.fromLogicalToDataType(type.copy(true));
  }

  /** Encodes the constants in key order; null if no table holds them. */
  byte @Nullable [] encode(Object... constants) {
    GenericRowData row = new GenericRowData(constants.length);
    for (int i = 0; i < constants.length; i++) {
      row.setField(i, internal(constants[i], types.get(i)));
    }
    return encoder.encode(row);
  }

  /** Returns a constant as rows hold it; null if its column cannot. */
  private static @Nullable Object internal(Object constant, LogicalType type) {
    return switch (type.getTypeRoot()) {
      case CHAR, VARCHAR -> StringData.fromString((String) constant);
      case DECIMAL ->
          DecimalData.fromBigDecimal(
              (BigDecimal) constant,
              ((DecimalType) type).getPrecision(),
              ((DecimalType) type).getScale());
      case DATE -> (int) ((LocalDate) constant).toEpochDay();
      case TIME_WITHOUT_TIME_ZONE ->
          (int) TimeUnit.NANOSECONDS.toMillis(((LocalTime) constant).toNanoOfDay());
      case TIMESTAMP_WITHOUT_TIME_ZONE -> TimestampData.fromLocalDateTime((LocalDateTime) constant);
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> TimestampData.fromInstant((Instant) constant);
      default -> constant;
    };
  }
}
