package io.bsdb.flink.row;

import io.bsdb.row.FieldView;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryStringData;

/** Flink's objects of single fields and elements; they refer to no bytes but their own. */
final class ViewFields {
  /** Maximum number of digits of a decimal that Flink, too, holds as a long. */
  private static final int MAX_COMPACT_PRECISION = 18;

  private ViewFields() {}

  static StringData string(FieldView view, int i) {
    return BinaryStringData.fromBytes(view.bytesAt(i));
  }

  static DecimalData decimal(FieldView view, int i, int precision, int scale) {
    return precision <= MAX_COMPACT_PRECISION
        ? DecimalData.fromUnscaledLong(view.unscaledAt(i), precision, scale)
        : DecimalData.fromBigDecimal(view.decimalAt(i), precision, scale);
  }

  static TimestampData timestamp(FieldView view, int i) {
    return TimestampData.fromEpochMillis(view.epochMillisAt(i), view.nanosOfMilliAt(i));
  }

  /** Returns what accessors of types throw that no table has. */
  static UnsupportedOperationException unsupported() {
    return new UnsupportedOperationException("no column of a bsdb table has this type");
  }
}
