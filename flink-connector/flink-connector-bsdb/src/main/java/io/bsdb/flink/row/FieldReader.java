package io.bsdb.flink.row;

import io.bsdb.row.FieldView;
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
      case ARRAY -> {
        FieldReader elements = of(((ArrayType) type).getElementType());
        yield (view, i) -> new ViewArray(view.arrayAt(i), elements);
      }
      case MAP -> MapReader.of((MapType) type);
      case ROW, STRUCTURED_TYPE -> {
        FieldReader[] fields =
            type.getChildren().stream().map(FieldReader::of).toArray(FieldReader[]::new);
        yield (view, i) -> new ViewRow(view.rowAt(i), fields);
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
