package io.bsdb.row;

import java.util.ArrayList;
import java.util.List;

/** Says in words how a declared schema differs from that of the table. */
public final class SchemaDifference {
  private SchemaDifference() {}

  /**
   * Returns one sentence per difference, empty if there is none. For example {@code column
   * 'population': table has BIGINT, DDL says INT}. Column order counts only when the sets of
   * columns are the same.
   *
   * @param table the schema in the manifest
   * @param declared the schema that somebody expects
   * @param declaration what declares it, such as {@code DDL}
   */
  public static List<String> between(Schema table, Schema declared, String declaration) {
    List<String> differences = new ArrayList<>();
    for (Column column : declared.columns()) {
      String name = column.name();
      if (!table.hasColumn(name)) {
        differences.add(
            "column '" + name + "': not in the table, " + declaration + " says " + column.type());
      } else if (!table.column(name).type().equals(column.type())) {
        differences.add(
            "column '"
                + name
                + "': table has "
                + table.column(name).type()
                + ", "
                + declaration
                + " says "
                + column.type());
      }
    }
    for (Column column : table.columns()) {
      if (!declared.hasColumn(column.name())) {
        differences.add(
            "column '"
                + column.name()
                + "': table has "
                + column.type()
                + ", not in the "
                + declaration);
      }
    }
    if (!table.primaryKey().equals(declared.primaryKey())) {
      differences.add(
          "primary key: table has "
              + table.primaryKey()
              + ", "
              + declaration
              + " says "
              + declared.primaryKey());
    }
    List<String> order = names(table);
    if (differences.isEmpty() && !order.equals(names(declared))) {
      differences.add(
          "column order: table has " + order + ", " + declaration + " says " + names(declared));
    }
    return differences;
  }

  private static List<String> names(Schema schema) {
    return schema.columns().stream().map(Column::name).toList();
  }
}
