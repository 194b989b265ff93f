package io.bsdb.sql;

import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;

/**
 * A column of a query: its type in a table, and how its values come out of DuckDB.
 *
 * @param expression SQL that makes of the column what {@link #reader} reads
 */
record SourceColumn(Column column, String expression, CellReader reader) {
  /**
   * Returns the column of a name and a DuckDB type.
   *
   * @param alias by which SQL names the column
   * @throws IllegalArgumentException if tables have no such type
   */
  static SourceColumn of(String name, String typeText, String alias) {
    SourceType type = SourceType.parse(name, typeText);
    return new SourceColumn(
        new Column(name, type.columnType()), type.expression(alias), CellReader.of(type));
  }

  ColumnType type() {
    return column.type();
  }
}
