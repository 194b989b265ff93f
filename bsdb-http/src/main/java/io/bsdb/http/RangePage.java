package io.bsdb.http;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The page of rows in the order of their keys. */
final class RangePage {
  private static final int SHOWN = 50;

  void write(Html page, ServedTable table, Address address) throws IOException {
    Map<String, String> given = new LinkedHashMap<>(address.parameters());
    given.values().removeIf(String::isEmpty); // fields of the form that are left empty
    form(page, table, given);
    try (Held held = table.hold()) {
      held.rows().requireOrder();
      OrderedRows.Range range =
          OrderedRows.Range.of(new Address(address.segments(), given), held.rows(), SHOWN);
      List<Sample.Row> found = range.read(held.reader().ordered());
      if (found.isEmpty()) {
        page.raw("<p id=verdict>No row has such a key.</p>");
        return;
      }
      RowTable.write(
          page, table, held.rows(), found.subList(0, Math.min(found.size(), range.limit())));
      String next = range.next(found);
      if (next != null) {
        given.put("start", next);
        page.raw("<p>").link(address(table, given), "Next rows").raw("</p>");
      }
    }
  }

  private static String address(ServedTable table, Map<String, String> parameters) {
    return "/tables/" + table.name() + "/range" + query(parameters);
  }

  /** Returns parameters as the query of an address; empty if there are none. */
  static String query(Map<String, String> parameters) {
    StringBuilder query = new StringBuilder();
    parameters.forEach(
        (name, value) -> {
          if (!value.isEmpty()) {
            query.append(query.isEmpty() ? '?' : '&').append(name).append('=');
            query.append(TablePages.encode(value));
          }
        });
    return query.toString();
  }

  private static void form(Html page, ServedTable table, Map<String, String> given) {
    page.raw("<form class=choice action=\"/tables/").text(table.name()).raw("/range\">");
    field(page, "prefix", "Prefix", given.get("prefix"));
    field(page, "from", "or from", given.get("from"));
    field(page, "to", "to", given.get("to"));
    page.raw("<label class=check><input type=checkbox name=reverse value=true")
        .raw(given.containsKey("reverse") ? " checked> Reverse</label>" : "> Reverse</label>");
    page.raw("<button>Show</button></form>");
  }

  private static void field(Html page, String name, String label, @Nullable String value) {
    page.raw("<label>")
        .text(label)
        .raw(" <input name=")
        .raw(name)
        .raw(" autocomplete=off spellcheck=false value=\"")
        .text(value == null ? "" : value)
        .raw("\"></label>");
  }
}
