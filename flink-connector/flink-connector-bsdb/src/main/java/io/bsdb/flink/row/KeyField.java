package io.bsdb.flink.row;

import io.bsdb.format.row.KeyWriter;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.DistinctType;
import org.apache.flink.table.types.logical.LogicalType;

/** Writes one column of a key, given as Flink's internal object of it. */
@FunctionalInterface
interface KeyField {
  void write(KeyWriter target, Object value);

  /** Writes columns of a type. */
  static KeyField of(LogicalType type) {
    return switch (type.getTypeRoot()) {
      case CHAR, VARCHAR -> KeyField::writeString;
      case BOOLEAN -> (target, value) -> target.writeBoolean((Boolean) value);
      case BINARY, VARBINARY -> (target, value) -> target.writeBytes((byte[]) value);
      case DECIMAL -> KeyField::writeDecimal;
      case TINYINT -> (target, value) -> target.writeByte((Byte) value);
      case SMALLINT -> (target, value) -> target.writeShort((Short) value);
      case INTEGER, DATE, TIME_WITHOUT_TIME_ZONE, INTERVAL_YEAR_MONTH ->
          (target, value) -> target.writeInt((Integer) value);
      case BIGINT, INTERVAL_DAY_TIME -> (target, value) -> target.writeLong((Long) value);
      case FLOAT -> (target, value) -> target.writeFloat((Float) value);
      case DOUBLE -> (target, value) -> target.writeDouble((Double) value);
      case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> KeyField::writeTimestamp;
      case DISTINCT_TYPE -> of(((DistinctType) type).getSourceType());
      default ->
          throw new IllegalArgumentException(type.asSummaryString() + " cannot be part of a key");
    };
  }

  private static void writeString(KeyWriter target, Object value) {
    byte[] utf8 = ((StringData) value).toBytes();
    target.writeUtf8(utf8, 0, utf8.length);
  }

  private static void writeDecimal(KeyWriter target, Object value) {
    DecimalData decimal = (DecimalData) value;
    if (decimal.isCompact()) {
      target.writeUnscaled(decimal.toUnscaledLong());
    } else {
      target.writeDecimal(decimal.toBigDecimal());
    }
  }

  private static void writeTimestamp(KeyWriter target, Object value) {
    TimestampData timestamp = (TimestampData) value;
    target.writeTimestamp(timestamp.getMillisecond(), timestamp.getNanoOfMillisecond());
  }
}
