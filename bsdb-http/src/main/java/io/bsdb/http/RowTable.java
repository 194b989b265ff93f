package io.bsdb.http;

import io.bsdb.row.Column;
import io.bsdb.row.Schema;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Shows rows as a table, in which keys lead to their pages. */
final class RowTable {
  private RowTable() {}

  static void write(Html page, ServedTable table, VersionRows rows, List<Sample.Row> records) {
    Schema schema = rows.schema();
    page.head(
        schema == null
            ? new String[] {"key", "value"}
            : schema.columns().stream().map(Column::name).toArray(String[]::new));
    for (Sample.Row record : records) {
      Map<String, String> columns = rows.columnTexts(record.key(), record.value());
      String key = keyAddress(table, rows, record.key(), columns);
      page.raw("<tr>");
      if (columns == null) {
        page.raw("<th scope=row>").link(key, shortened(Texts.of(record.key()))).raw("</th>");
        page.element("td", shortened(Texts.of(record.value())));
      } else {
        columns.forEach(
            (name, text) -> {
              if (schema != null && schema.primaryKey().contains(name)) {
                page.raw("<th scope=row>").link(key, shortened(text)).raw("</th>");
              } else {
                page.element("td", shortened(text));
              }
            });
      }
      page.raw("</tr>");
    }
    page.end();
  }

  private static String shortened(String text) {
    return text.length() <= 120 ? text : text.substring(0, 119) + "…";
  }

  private static String keyAddress(
      ServedTable table, VersionRows rows, byte[] key, @Nullable Map<String, String> columns) {
    Schema schema = rows.schema();
    String base = "/tables/" + table.name() + "/key?key=";
    if (schema == null || columns == null) {
      String text = Texts.of(key);
      return text.startsWith("0x")
          ? base + text.substring(2) + "&encoding=hex"
          : base + TablePages.encode(text);
    }
    List<String> names = schema.primaryKey();
    return base
        + TablePages.encode(
            names.size() == 1
                ? columns.getOrDefault(names.get(0), "")
                : Exchange.MAPPER
                    .valueToTree(names.stream().map(columns::get).toList())
                    .toString());
  }
}
