package io.bsdb.http.page;

import io.bsdb.format.Figures;
import io.bsdb.http.exchange.Address;
import io.bsdb.http.exchange.Exchange;
import io.bsdb.http.exchange.Texts;
import io.bsdb.http.table.Held;
import io.bsdb.http.table.ServedTable;
import io.bsdb.http.table.Service;
import io.bsdb.http.table.VersionRows;
import io.bsdb.reader.KeyValue;
import io.bsdb.reader.OrderedReader;
import io.bsdb.reader.snapshot.KeyPlace;
import io.bsdb.row.Column;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.RecordOrder;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The page of one key: its row, its bytes, and where it lies. */
record KeyPage(Service service) {
  /** Memory that the texts of a value take at most, by its length. */
  private static final long TEXTS_PER_BYTE = 8;

  /** Returns what a key of a table looks like. */
  static String hint(ServedTable table) {
    Schema schema = table.reader().manifest().schema();
    return schema == null
        ? "text of the key"
        : schema.keyColumns().stream().map(Column::name).collect(Collectors.joining(", "));
  }

  void write(Html page, ServedTable table, Exchange exchange) throws IOException {
    Address address = exchange.address();
    String text = address.parameter("key");
    if (text == null) {
      page.raw("<p>Type a key into the box above. ");
      Schema schema = table.reader().manifest().schema();
      if (schema == null) {
        page.raw("The table holds plain bytes: a key is its text.</p>");
      } else {
        page.raw("A key of this table is ").element("code", schema.keyColumns()).raw(".</p>");
      }
      page.raw("<p>")
          .link("/tables/" + table.name() + "/sample", "Rows to choose from")
          .raw("</p>");
      return;
    }
    String encoding = address.parameter("encoding");
    try (Held held = service.hold(table, address.parameter("version"))) {
      byte[] key = held.rows().key(text, encoding == null || encoding.isEmpty() ? null : encoding);
      byte[] value = held.reader().get(key);
      boolean isEnded =
          value == null
              && held.rows().manifest().validity() != null
              && held.reader().allVersions().get(key) != null;
      exchange.share().add(value == null ? 0 : TEXTS_PER_BYTE * value.length);
      KeyPlace place = held.reader().place(key);
      page.raw("<p class=verdict id=verdict>");
      page.raw(
          isEnded
              ? "<strong class=no>Ended</strong>"
              : value == null
                  ? "<strong class=no>Absent</strong>"
                  : "<strong class=yes>Found</strong>");
      page.raw(" in version ").element("code", held.version()).raw("</p><div class=columns>");
      if (value != null) {
        row(page, held.rows(), key, value);
      }
      place(page, place, value != null || isEnded);
      page.raw("</div>");
      if (held.rows().manifest().order() == RecordOrder.KEY) {
        neighbours(page, table, held, address.parameter("version"), key);
      }
      bytes(page, "Key", key);
      if (value != null) {
        bytes(page, "Value", value);
      }
    }
  }

  private static void row(Html page, VersionRows rows, byte[] key, byte[] value) {
    page.raw("<section><h2>Row</h2><dl class=facts id=row>");
    rows.columnTexts(key, value).forEach((name, text) -> page.fact(name, Texts.excerpt(text)));
    page.raw("</dl></section>");
  }

  private static void place(Html page, KeyPlace place, boolean found) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("Partition", Integer.toString(place.partition()));
    facts.put("File", String.valueOf(place.file().getFileName()));
    if (place.block() < 0) {
      facts.put(
          "Signature", "%d bits, none matches: no block is read".formatted(place.signatureBits()));
    } else {
      if (place.rank() >= 0) {
        facts.put("Rank", Figures.count(place.rank()));
      }
      facts.put(
          "Block",
          "%s, at byte %s"
              .formatted(Figures.count(place.block()), Figures.count(place.blockOffset())));
      facts.put("Signature", place.signatureBits() == 0 ? "none" : place.signatureBits() + " bits");
    }
    if (place.changed()) {
      facts.put(
          "Change",
          found
              ? "the row is from a change over the partition file"
              : "a change over the partition file deletes the key");
    }
    page.raw("<section id=place><h2>")
        .raw(found ? "Where it lies" : "Where it would lie")
        .raw("</h2>")
        .facts(facts)
        .raw("</section>");
  }

  private static void neighbours(
      Html page, ServedTable table, Held held, @Nullable String version, byte[] key)
      throws IOException {
    OrderedReader ordered = held.reader().ordered();
    page.raw("<section id=neighbours><h2>Before and after it</h2>");
    RowTable rows = new RowTable(page, table, held.rows(), version);
    for (KeyValue row : new KeyValue[] {ordered.lower(key), ordered.higher(key)}) {
      if (row != null) {
        rows.row(row.key(), row.value());
      }
    }
    rows.end();
    page.raw("</section>");
  }

  private static void bytes(Html page, String name, byte[] bytes) {
    page.raw("<details><summary>")
        .text("%s: %s bytes".formatted(name, Figures.count(bytes.length)))
        .raw("</summary>")
        .element("pre", Texts.hex(bytes))
        .raw("</details>");
  }
}
