package io.bsdb.sql;

import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.ColumnType.Kind;

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

  /**
   * Returns the column with IP addresses as values: of text, of BIGINT, or of 16 bytes.
   *
   * @throws IllegalArgumentException if it is of another type
   */
  SourceColumn ofAddresses() {
    ColumnType type;
    try {
      type = type().ofAddresses();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "column '%s': %s".formatted(column.name(), e.getMessage()), e);
    }
    Column addresses = new Column(column.name(), type);
    return type().kind() == Kind.VARCHAR
        ? new SourceColumn(addresses, expression, CellReader.ADDRESS)
        : new SourceColumn(addresses, expression, reader);
  }

  ColumnType type() {
    return column.type();
  }
}
