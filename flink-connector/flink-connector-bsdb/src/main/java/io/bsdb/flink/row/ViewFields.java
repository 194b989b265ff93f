package io.bsdb.flink.row;

import io.bsdb.format.row.FieldView;
import io.bsdb.format.row.RowLayout;
import io.bsdb.format.row.RowView;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.RawValueData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.binary.BinaryRawValueData;
import org.apache.flink.table.data.binary.BinaryStringData;
import org.apache.flink.types.variant.BinaryVariant;
import org.apache.flink.types.variant.Variant;

/**
 * Flink's objects of single fields and elements; strings and raw values refer to the bytes,
 * uncopied.
 */
final class ViewFields {
  /** Most digits of a decimal that Flink, too, holds as a long. */
  private static final int MAX_COMPACT_PRECISION = 18;

  private ViewFields() {}

  static StringData string(FieldView view, int i) {
    long slice = view.sliceAt(i);
    return BinaryStringData.fromBytes(
        view.bytes(), FieldView.offset(slice), FieldView.length(slice));
  }

  static DecimalData decimal(FieldView view, int i, int precision, int scale) {
    return precision <= MAX_COMPACT_PRECISION
        ? DecimalData.fromUnscaledLong(view.unscaledAt(i), precision, scale)
        : DecimalData.fromBigDecimal(view.decimalAt(i), precision, scale);
  }

  static TimestampData timestamp(FieldView view, int i) {
    return TimestampData.fromEpochMillis(view.epochMillisAt(i), view.nanosOfMilliAt(i));
  }

  static <T> RawValueData<T> raw(FieldView view, int i) {
    long slice = view.sliceAt(i);
    return BinaryRawValueData.fromBytes(
        view.bytes(), FieldView.offset(slice), FieldView.length(slice));
  }

  static Variant variant(FieldView view, int i) {
    RowView pair = view.rowAt(i);
    return new BinaryVariant(
        pair.bytesAt(RowLayout.VARIANT_VALUE), pair.bytesAt(RowLayout.VARIANT_METADATA));
  }
}
