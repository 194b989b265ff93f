package io.bsdb.flink.row;

import java.util.HexFormat;
import java.util.StringJoiner;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;

/** Rows in messages: scalar columns, each cut to a bearable length. */
final class RowText {
  private static final int MAX_LENGTH = 64;

  private RowText() {}

  static String of(RowData row, RowType type) {
    StringJoiner text = new StringJoiner(", ", "(", ")");
    for (int i = 0; i < type.getFieldCount(); i++) {
      Object field = RowData.createFieldGetter(type.getTypeAt(i), i).getFieldOrNull(row);
      text.add(
          type.getFieldNames().get(i)
              + "="
              + (field == null ? "NULL" : text(field, type.getTypeAt(i))));
    }
    return text.toString();
  }

  private static String text(Object field, LogicalType type) {
    if (field instanceof byte[] bytes) {
      return cut(
          "x'" + HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, MAX_LENGTH)) + "'");
    }
    if (type.is(LogicalTypeRoot.VARCHAR) || type.is(LogicalTypeRoot.CHAR)) {
      return cut("'" + field + "'");
    }
    return type.getChildren().isEmpty() ? cut(field.toString()) : "…";
  }

  private static String cut(String text) {
    return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "…";
  }
}
