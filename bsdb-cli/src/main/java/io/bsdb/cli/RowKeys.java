package io.bsdb.cli;

import io.bsdb.format.row.Column;
import io.bsdb.format.row.KeyView;
import io.bsdb.format.row.Schema;
import java.util.ArrayList;
import java.util.List;

/** Keys of rows, for messages. */
final class RowKeys {
  private RowKeys() {}

  /** The text of a key, such as {@code country=DE number=4711}. */
  static String describe(Schema schema, byte[] key) {
    KeyView view = new KeyView(schema).wrap(key);
    List<String> parts = new ArrayList<>();
    List<Column> columns = schema.keyColumns();
    for (int i = 0; i < columns.size(); i++) {
      Column column = columns.get(i);
      Object value =
          switch (column.type().kind()) {
            case CHAR, VARCHAR -> view.stringAt(i);
            case BOOLEAN -> view.booleanAt(i);
            case TINYINT -> view.byteAt(i);
            case SMALLINT -> view.shortAt(i);
            case INT -> view.intAt(i);
            case BIGINT -> view.longAt(i);
            case FLOAT -> view.floatAt(i);
            case DOUBLE -> view.doubleAt(i);
            case DECIMAL -> view.decimalAt(i);
            default -> "…";
          };
      parts.add(column.name() + "=" + value);
    }
    return String.join(" ", parts);
  }
}
