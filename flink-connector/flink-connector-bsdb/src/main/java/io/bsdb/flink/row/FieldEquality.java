package io.bsdb.flink.row;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.MapData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.DistinctType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.MapType;
import org.jspecify.annotations.Nullable;

/**
 * Equality of two of Flink's internal objects as SQL sees it. They may be of different classes:
 * generic, binary, or views.
 */
@FunctionalInterface
public interface FieldEquality {
  /** Returns whether two values are equal, neither of them null. */
  boolean equal(Object left, Object right);

  /** Returns the equality of a type. */
  static FieldEquality of(LogicalType type) {
    return switch (type.getTypeRoot()) {
      case BINARY, VARBINARY -> (left, right) -> Arrays.equals((byte[]) left, (byte[]) right);
      case DECIMAL -> (left, right) -> ((DecimalData) left).compareTo((DecimalData) right) == 0;
      case FLOAT -> (left, right) -> ((Float) left).floatValue() == ((Float) right).floatValue();
      case DOUBLE ->
          (left, right) -> ((Double) left).doubleValue() == ((Double) right).doubleValue();
      case ARRAY -> {
        Elements elements = Elements.of(((ArrayType) type).getElementType());
        yield (left, right) -> elements.equal((ArrayData) left, (ArrayData) right);
      }
      case MAP -> maps(((MapType) type).getKeyType(), ((MapType) type).getValueType());
      case ROW, STRUCTURED_TYPE -> rows(type.getChildren());
      case DISTINCT_TYPE -> of(((DistinctType) type).getSourceType());
      default -> Objects::equals;
    };
  }

  /** Returns the same, where two nulls are equal, as inside of nested values. */
  private boolean equalOrNull(@Nullable Object left, @Nullable Object right) {
    return (left == null || right == null) ? left == right : equal(left, right);
  }

  private static FieldEquality rows(List<LogicalType> types) {
    FieldEquality[] equalities =
        types.stream().map(FieldEquality::of).toArray(FieldEquality[]::new);
    RowData.FieldGetter[] getters = new RowData.FieldGetter[equalities.length];
    for (int i = 0; i < getters.length; i++) {
      getters[i] = RowData.createFieldGetter(types.get(i), i);
    }
    return (left, right) -> {
      for (int i = 0; i < getters.length; i++) {
        Object leftField = getters[i].getFieldOrNull((RowData) left);
        Object rightField = getters[i].getFieldOrNull((RowData) right);
        if (!equalities[i].equalOrNull(leftField, rightField)) {
          return false;
        }
      }
      return true;
    };
  }

  private static FieldEquality maps(LogicalType keyType, LogicalType valueType) {
    Elements keys = Elements.of(keyType);
    Elements values = Elements.of(valueType);
    return (left, right) -> {
      MapData leftMap = (MapData) left;
      MapData rightMap = (MapData) right;
      if (leftMap.size() != rightMap.size()) {
        return false;
      }
      for (int i = 0; i < leftMap.size(); i++) {
        int match = keys.find(leftMap.keyArray(), i, rightMap.keyArray());
        if (match < 0 || !values.equal(leftMap.valueArray(), i, rightMap.valueArray(), match)) {
          return false;
        }
      }
      return true;
    };
  }

  /** Equality of elements. */
  record Elements(ArrayData.ElementGetter getter, FieldEquality equality) {
    static Elements of(LogicalType type) {
      return new Elements(ArrayData.createElementGetter(type), FieldEquality.of(type));
    }

    boolean equal(ArrayData left, int i, ArrayData right, int k) {
      return equality.equalOrNull(
          getter.getElementOrNull(left, i), getter.getElementOrNull(right, k));
    }

    boolean equal(ArrayData left, ArrayData right) {
      boolean equal = left.size() == right.size();
      for (int i = 0; equal && i < left.size(); i++) {
        equal = equal(left, i, right, i);
      }
      return equal;
    }

    /** Returns where an element of one array is in another; −1: nowhere. */
    int find(ArrayData left, int i, ArrayData right) {
      for (int k = 0; k < right.size(); k++) {
        if (equal(left, i, right, k)) {
          return k;
        }
      }
      return -1;
    }
  }
}
