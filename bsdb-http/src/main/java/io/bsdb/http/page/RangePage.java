package io.bsdb.http.page;

import io.bsdb.http.exchange.Address;
import io.bsdb.http.exchange.Answer;
import io.bsdb.http.exchange.Exchange;
import io.bsdb.http.exchange.MediaType;
import io.bsdb.http.table.Held;
import io.bsdb.http.table.RowRange;
import io.bsdb.http.table.ServedTable;
import io.bsdb.reader.RecordCursor;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.eclipse.jetty.http.HttpField;
import org.jspecify.annotations.Nullable;

/** The page of rows in the order of their keys, and the same rows as CSV. */
final class RangePage {
  private static final int SHOWN = 50;

  /** Returns the parameters of an address without fields of the form that are left empty. */
  private static Map<String, String> given(Address address) {
    Map<String, String> given = new LinkedHashMap<>(address.parameters());
    given.values().removeIf(String::isEmpty);
    return given;
  }

  /**
   * Answers with all rows of a range as CSV. A range that exceeds what an answer may have, or takes
   * too long, is refused: half a file would look like a whole one.
   */
  static void csv(Exchange exchange, ServedTable table) throws IOException {
    Address address = exchange.address();
    try (Held held = table.hold()) {
      held.rows().requireOrder();
      exchange.access.version = held.version();
      RowRange range =
          RowRange.of(
              new Address(address.segments(), given(address)), held.rows(), Integer.MAX_VALUE);
      Answer body = exchange.newAnswer();
      Csv csv = new Csv(body);
      csv.line(held.rows().columnNames());
      try (RecordCursor cursor = held.reader().allVersions().ordered().range(range.keys())) {
        while (held.rows().next(cursor, exchange::requireTime)) {
          csv.line(held.rows().columnTexts(cursor.key(), cursor.value()).values());
          exchange.access.found++;
        }
      }
      exchange.header(
          new HttpField(
              "Content-Disposition", "attachment; filename=\"%s.csv\"".formatted(table.name())));
      exchange.answer(200, MediaType.CSV, body.toByteBuffer());
    }
  }

  void write(Html page, ServedTable table, Exchange exchange) throws IOException {
    Address address = exchange.address();
    Map<String, String> given = given(address);
    form(page, table, given);
    try (Held held = table.hold()) {
      held.rows().requireOrder();
      RowRange range = RowRange.of(new Address(address.segments(), given), held.rows(), SHOWN);
      byte[] next = rows(page.part(), table, held, range, page, exchange);
      if (next != null) {
        given.put("start", RowRange.start(next));
        page.raw("<p>").link(address(table, "range", given), "Next rows").raw("</p>");
      }
    }
  }

  /** Shows the rows of a range; returns the key of the one after them, or null if there is none. */
  private static byte @Nullable [] rows(
      Html part, ServedTable table, Held held, RowRange range, Html page, Exchange exchange)
      throws IOException {
    RowTable rows = new RowTable(part, table, held.rows(), null);
    byte[] next = null;
    int count = 0;
    try (RecordCursor cursor = held.reader().allVersions().ordered().range(range.keys())) {
      while (next == null && held.rows().next(cursor, exchange::requireTime)) {
        if (count == range.limit()) {
          next = cursor.key();
        } else {
          rows.row(cursor.key(), cursor.value());
          count++;
        }
      }
    }
    rows.end();
    page.raw(count == 0 ? "<p id=verdict>No row has such a key.</p>" : part.markup());
    return next;
  }

  private static String address(ServedTable table, String what, Map<String, String> parameters) {
    return "/tables/" + table.name() + "/" + what + query(parameters);
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
    page.raw("<form class=choice action=").address("/tables/" + table.name() + "/range").raw(">");
    field(page, "prefix", "Prefix", given.get("prefix"));
    field(page, "from", "or from", given.get("from"));
    field(page, "to", "to", given.get("to"));
    page.raw("<label class=check><input type=checkbox name=reverse value=true")
        .raw(given.containsKey("reverse") ? " checked> Reverse</label>" : "> Reverse</label>");
    page.raw("<button>Show</button>");
    Map<String, String> whole = new LinkedHashMap<>(given);
    whole.remove("start");
    page.link(address(table, "range.csv", whole), "Save as CSV").raw("</form>");
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
