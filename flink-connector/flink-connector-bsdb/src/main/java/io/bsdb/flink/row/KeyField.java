package io.bsdb.flink.row;

import io.bsdb.row.KeyWriter;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DistinctType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.utils.LogicalTypeChecks;

/** Writes one column of a key, which is field {@code pos} of a row and not null. */
@FunctionalInterface
interface KeyField {
  void write(KeyWriter target, RowData row, int pos);

  /** Writes columns of a type. */
  static KeyField of(LogicalType type) {
    return switch (type.getTypeRoot()) {
      case CHAR, VARCHAR -> (target, row, pos) -> writeUtf8(target, row.getString(pos).toBytes());
      case BOOLEAN -> (target, row, pos) -> target.writeBoolean(row.getBoolean(pos));
      case BINARY, VARBINARY -> (target, row, pos) -> target.writeBytes(row.getBinary(pos));
      case DECIMAL -> decimal((DecimalType) type);
      case TINYINT -> (target, row, pos) -> target.writeByte(row.getByte(pos));
      case SMALLINT -> (target, row, pos) -> target.writeShort(row.getShort(pos));
      case INTEGER, DATE, TIME_WITHOUT_TIME_ZONE ->
          (target, row, pos) -> target.writeInt(row.getInt(pos));
      case BIGINT -> (target, row, pos) -> target.writeLong(row.getLong(pos));
      case FLOAT -> (target, row, pos) -> target.writeFloat(row.getFloat(pos));
      case DOUBLE -> (target, row, pos) -> target.writeDouble(row.getDouble(pos));
      case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> timestamp(type);
      case DISTINCT_TYPE -> of(((DistinctType) type).getSourceType());
      default ->
          throw new IllegalArgumentException(type.asSummaryString() + " cannot be part of a key");
    };
  }

  /**
   * Writes columns of a type that are looked for. Formats give times with more digits than their
   * type has, which go when Flink hands them to another task: they count neither before nor after.
   */
  static KeyField ofWanted(LogicalType type) {
    boolean isTime =
        type.is(LogicalTypeRoot.TIMESTAMP_WITHOUT_TIME_ZONE)
            || type.is(LogicalTypeRoot.TIMESTAMP_WITH_LOCAL_TIME_ZONE);
    int precision = isTime ? LogicalTypeChecks.getPrecision(type) : 0;
    return isTime && TimestampData.isCompact(precision)
        ? (target, row, pos) ->
            target.writeTimestamp(row.getTimestamp(pos, precision).getMillisecond(), 0)
        : of(type);
  }

  private static void writeUtf8(KeyWriter target, byte[] utf8) {
    target.writeUtf8(utf8, 0, utf8.length);
  }

  private static KeyField decimal(DecimalType type) {
    int precision = type.getPrecision();
    int scale = type.getScale();
    return (target, row, pos) -> {
      DecimalData decimal = row.getDecimal(pos, precision, scale);
      if (decimal.isCompact()) {
        target.writeUnscaled(decimal.toUnscaledLong());
      } else {
        target.writeDecimal(decimal.toBigDecimal());
      }
    };
  }

  private static KeyField timestamp(LogicalType type) {
    int precision = LogicalTypeChecks.getPrecision(type);
    return (target, row, pos) -> {
      TimestampData timestamp = row.getTimestamp(pos, precision);
      target.writeTimestamp(timestamp.getMillisecond(), timestamp.getNanoOfMillisecond());
    };
  }
}
