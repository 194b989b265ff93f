package io.bsdb.http.page;

import io.bsdb.http.exchange.Exchange;
import io.bsdb.http.exchange.Texts;
import io.bsdb.http.table.ServedTable;
import io.bsdb.http.table.VersionRows;
import io.bsdb.row.Schema;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Shows rows as a table, in which keys lead to their pages. */
final class RowTable {
  private static final int EXCERPT = 120;

  private final Html page;
  private final ServedTable table;
  private final VersionRows rows;
  private final @Nullable String version;

  /**
   * Begins a table.
   *
   * @param version that the pages of keys show; null for the one in use
   */
  RowTable(Html page, ServedTable table, VersionRows rows, @Nullable String version) {
    this.page = page;
    this.table = table;
    this.rows = rows;
    this.version = version;
    page.head(rows.columnNames().toArray(String[]::new));
  }

  void row(byte[] key, byte[] value) {
    Schema schema = rows.schema();
    List<String> keyColumns = schema == null ? List.of("key") : schema.primaryKey();
    String address = keyAddress(table, rows, key, version);
    page.raw("<tr>");
    rows.columnTexts(key, value)
        .forEach(
            (name, text) -> {
              if (keyColumns.contains(name)) {
                page.raw("<th scope=row>").link(address, shortened(text)).raw("</th>");
              } else {
                page.element("td", shortened(text));
              }
            });
    page.raw("</tr>");
  }

  void end() {
    page.end();
  }

  static String shortened(@Nullable String text) {
    String whole = String.valueOf(text);
    return whole.length() <= EXCERPT ? whole : whole.substring(0, EXCERPT - 1) + "…";
  }

  /**
   * Returns the address of a key's page.
   *
   * @param version null for the one in use
   */
  static String keyAddress(
      ServedTable table, VersionRows rows, byte[] key, @Nullable String version) {
    String base = "/tables/" + table.name() + "/key?key=";
    String suffix = version == null ? "" : "&version=" + TablePages.encode(version);
    Schema schema = rows.schema();
    if (schema == null) {
      return Texts.isText(key)
          ? base + TablePages.encode(Texts.of(key)) + suffix
          : base + Texts.of(key).substring(2) + "&encoding=hex" + suffix;
    }
    List<String> texts = List.copyOf(rows.keyTexts(key).values());
    String text = texts.size() == 1 ? texts.get(0) : Exchange.MAPPER.valueToTree(texts).toString();
    return base + TablePages.encode(text) + suffix;
  }
}
