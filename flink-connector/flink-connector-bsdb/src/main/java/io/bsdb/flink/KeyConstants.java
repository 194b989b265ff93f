package io.bsdb.flink;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.KeyEncoder;
import java.util.List;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.utils.TypeConversions;
import org.apache.flink.types.Row;
import org.jspecify.annotations.Nullable;

/** Encodes constants of a query as keys, or as what keys begin with, as the DDL has them. */
final class KeyConstants {
  private final DynamicTableSource.DataStructureConverter converter;
  private final KeyEncoder encoder;

  /**
   * @param columns number of leading key columns that there are constants of
   */
  KeyConstants(DeclaredTable table, int columns, DynamicTableSource.Context context) {
    List<String> names = table.primaryKey().subList(0, columns);
    this.converter =
        context.createDataStructureConverter(
            DataTypes.ROW(
                names.stream()
                    .map(name -> DataTypes.FIELD(name, dataType(table.type(name))))
                    .toArray(DataTypes.Field[]::new)));
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
    return encoder.encode((RowData) converter.toInternal(Row.of(constants)));
  }
}
