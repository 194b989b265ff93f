package io.bsdb.flink.row;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.Map;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.DecimalData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.GenericMapData;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.DataType;
import org.junit.jupiter.api.Test;

class FieldEqualityTest {
  private static boolean equal(DataType type, Object left, Object right) {
    return FieldEquality.of(type.getLogicalType()).equal(left, right);
  }

  private static StringData text(String text) {
    return StringData.fromString(text);
  }

  @Test
  void comparesScalarsAsSqlDoes() {
    assertThat(equal(DataTypes.DOUBLE(), 0.0, -0.0)).isTrue();
    assertThat(equal(DataTypes.DOUBLE(), Double.NaN, Double.NaN)).isFalse();
    assertThat(equal(DataTypes.FLOAT(), 0f, -0f)).isTrue();
    assertThat(equal(DataTypes.BYTES(), new byte[] {1}, new byte[] {1})).isTrue();
    assertThat(equal(DataTypes.BYTES(), new byte[] {1}, new byte[] {2})).isFalse();
    assertThat(equal(DataTypes.STRING(), text("a"), StringData.fromBytes(new byte[] {'a'})))
        .isTrue();
    assertThat(
            equal(
                DataTypes.DECIMAL(20, 2),
                DecimalData.fromBigDecimal(new BigDecimal("1.5"), 20, 2),
                DecimalData.fromBigDecimal(new BigDecimal("1.50"), 20, 2)))
        .isTrue();
    assertThat(equal(DataTypes.INT(), 1, 2)).isFalse();
  }

  @Test
  void comparesArraysByElement() {
    DataType type = DataTypes.ARRAY(DataTypes.STRING());
    GenericArrayData array = new GenericArrayData(new Object[] {text("a"), null});
    assertThat(equal(type, array, new GenericArrayData(new Object[] {text("a"), null}))).isTrue();
    assertThat(equal(type, array, new GenericArrayData(new Object[] {text("a"), text("b")})))
        .isFalse();
    assertThat(equal(type, array, new GenericArrayData(new Object[] {text("a")}))).isFalse();
  }

  @Test
  void comparesMapsInAnyOrder() {
    DataType type = DataTypes.MAP(DataTypes.STRING(), DataTypes.INT());
    GenericMapData map = new GenericMapData(Map.of(text("a"), 1, text("b"), 2));
    assertThat(equal(type, map, new GenericMapData(Map.of(text("b"), 2, text("a"), 1)))).isTrue();
    assertThat(equal(type, map, new GenericMapData(Map.of(text("b"), 2, text("a"), 3)))).isFalse();
    assertThat(equal(type, map, new GenericMapData(Map.of(text("b"), 2, text("c"), 1)))).isFalse();
  }

  @Test
  void comparesRowsByField() {
    DataType type = DataTypes.ROW(DataTypes.INT(), DataTypes.STRING());
    assertThat(equal(type, GenericRowData.of(1, null), GenericRowData.of(1, null))).isTrue();
    assertThat(equal(type, GenericRowData.of(1, null), GenericRowData.of(1, text("x")))).isFalse();
  }
}
