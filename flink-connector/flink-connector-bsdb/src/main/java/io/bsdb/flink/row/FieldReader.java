package io.bsdb.flink.row;

import io.bsdb.row.FieldView;
import java.util.List;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DecimalType;
import org.apache.flink.table.types.logical.DistinctType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;

/** Reads one field, which is not null, as Flink's internal object; it may be kept. */
@FunctionalInterface
interface FieldReader {
  /** Returns field {@code i}. */
  Object read(FieldView view, int i);

  /** Returns the reader of fields of a type. */
  static FieldReader of(LogicalType type) {
    return switch (type.getTypeRoot()) {
      case CHAR, VARCHAR -> ViewFields::string;
      case BOOLEAN -> FieldView::booleanAt;
      case BINARY, VARBINARY -> FieldView::bytesAt;
      case DECIMAL -> decimal((DecimalType) type);
      case TINYINT -> FieldView::byteAt;
      case SMALLINT -> FieldView::shortAt;
      case INTEGER, DATE, TIME_WITHOUT_TIME_ZONE -> FieldView::intAt;
      case BIGINT -> FieldView::longAt;
      case FLOAT -> FieldView::floatAt;
      case DOUBLE -> FieldView::doubleAt;
      case TIMESTAMP_WITHOUT_TIME_ZONE, TIMESTAMP_WITH_LOCAL_TIME_ZONE -> ViewFields::timestamp;
      case ARRAY ->
          (view, i) -> new ViewArray(view.arrayAt(i), ((ArrayType) type).getElementType());
      case MAP -> (view, i) -> new ViewMap(view.mapAt(i), (MapType) type).binary();
      case ROW, STRUCTURED_TYPE -> {
        List<LogicalType> children = type.getChildren(); // a new list
        yield (view, i) -> new ViewRow(view.rowAt(i), children);
      }
      case DISTINCT_TYPE -> of(((DistinctType) type).getSourceType());
      default -> throw new IllegalArgumentException(type.asSummaryString());
    };
  }

  private static FieldReader decimal(DecimalType type) {
    int precision = type.getPrecision();
    int scale = type.getScale();
    return (view, i) -> ViewFields.decimal(view, i, precision, scale);
  }
}
