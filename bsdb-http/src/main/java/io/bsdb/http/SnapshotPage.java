package io.bsdb.http;

import io.bsdb.reader.SnapshotParts;
import io.bsdb.row.Column;
import io.bsdb.row.Schema;
import io.bsdb.table.Manifest;
import io.bsdb.table.PartitionFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The pages of one version: how it is built, and some of its rows. */
final class SnapshotPage {
  private static final int SAMPLE_ROWS = 20;
  private static final int SAMPLE_LENGTHS = 1000;
  private static final int SHOWN_PARTITIONS = 64;

  private final Service service;

  SnapshotPage(Service service) {
    this.service = service;
  }

  void write(Html page, ServedTable table, @Nullable String version) throws IOException {
    Manifest manifest = table.manifest(version);
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("Version", manifest.version());
    facts.put("Records", TablePages.records(manifest));
    facts.put("Size", Texts.size(manifest.length()));
    facts.put("Partitions", Texts.count(manifest.partitions().size()));
    facts.put("Bytes per record", perRecord(manifest, (double) manifest.length()));
    if (manifest.hasChanges()) {
      facts.put(
          "Segments of changes",
          "%s, %s"
              .formatted(
                  Texts.count(manifest.changes().segments().size()),
                  Texts.size(manifest.changes().length())));
    }
    facts.put("Layout", manifest.options().getOrDefault("layout", "unknown"));
    facts.put("Follows", manifest.parent() == null ? "none" : manifest.parent());
    page.facts(facts);
    parts(page, table, manifest);
    page.raw("<div class=columns>");
    schema(page, manifest.schema());
    texts(page, "Options of the build", manifest.options());
    texts(page, "Properties", manifest.properties());
    texts(page, "Positions of sources", manifest.sourcePositions());
    page.raw("</div>");
    lengths(page, table, version);
    partitions(page, manifest);
  }

  private static String perRecord(Manifest manifest, double bytes) {
    return String.format(Locale.ROOT, "%.1f", bytes / Math.max(1, manifest.recordCount()));
  }

  private static void parts(Html page, ServedTable table, Manifest manifest) throws IOException {
    List<Html.Bar> bars = new ArrayList<>();
    SnapshotParts.of(table.directory(), manifest)
        .bytes()
        .forEach(
            (part, bytes) ->
                bars.add(
                    new Html.Bar(
                        part,
                        (double) bytes,
                        "%s, %s bits per key"
                            .formatted(Texts.size(bytes), perRecord(manifest, 8.0 * bytes)))));
    long data =
        manifest.partitions().stream().mapToLong(each -> each.keyBytes() + each.valueBytes()).sum();
    page.raw("<section><h2>What takes the space</h2>").bars("Bytes by part of the files", bars);
    page.raw("<p>Keys and values are ")
        .text(Texts.size(data))
        .raw(" before they are laid out")
        .text(
            data == 0
                ? "."
                : String.format(
                    Locale.ROOT,
                    "; the files take %.0f %% of that.",
                    100.0 * manifest.length() / data))
        .raw("</p></section>");
  }

  private static void schema(Html page, @Nullable Schema schema) {
    page.raw("<section><h2>Schema</h2>");
    if (schema == null) {
      page.raw("<p>None: keys and values are plain bytes.</p></section>");
      return;
    }
    page.head("Column", "Type", "Key");
    for (Column column : schema.columns()) {
      page.raw("<tr><th scope=row>")
          .text(column.name())
          .raw("</th><td class=m>")
          .text(column.type());
      int position = schema.primaryKey().indexOf(column.name());
      page.raw("</td><td>").text(position < 0 ? "" : position + 1).raw("</td></tr>");
    }
    page.end().raw("</section>");
  }

  private static void texts(Html page, String title, Map<String, String> texts) {
    if (!texts.isEmpty()) {
      page.raw("<section>").element("h2", title).facts(TablePages.sorted(texts)).raw("</section>");
    }
  }

  private void lengths(Html page, ServedTable table, @Nullable String version) throws IOException {
    try (Held held = service.hold(table, version)) {
      long[] keys = new long[33];
      long[] values = new long[33];
      List<Sample.Row> records = Sample.of(held.reader(), SAMPLE_LENGTHS);
      for (Sample.Row record : records) {
        keys[Integer.SIZE - Integer.numberOfLeadingZeros(record.key().length)]++;
        values[Integer.SIZE - Integer.numberOfLeadingZeros(record.value().length)]++;
      }
      page.raw("<section><h2>Lengths</h2><p>Of ")
          .text(Texts.count(records.size()))
          .raw(" records drawn by their hash.</p><div class=columns>")
          .bars("Keys, in bytes", histogram(keys))
          .bars("Values, in bytes", histogram(values))
          .raw("</div></section>");
    } catch (Problem unknown) {
      page.raw("<section><h2>Lengths</h2>");
      TablePages.notice(page, unknown);
      page.raw("</section>");
    }
  }

  private static List<Html.Bar> histogram(long[] classes) {
    List<Html.Bar> bars = new ArrayList<>();
    for (int i = 0; i < classes.length; i++) {
      if (classes[i] > 0) {
        String label = i < 2 ? Integer.toString(i) : (1L << (i - 1)) + " to " + ((1L << i) - 1);
        bars.add(new Html.Bar(label, (double) classes[i], Texts.count(classes[i])));
      }
    }
    return bars;
  }

  private static void partitions(Html page, Manifest manifest) {
    page.raw("<section><h2>Partitions</h2>");
    page.head("File", "#Records", "#Size", "#Key bytes", "#Value bytes");
    manifest.partitions().stream().limit(SHOWN_PARTITIONS).forEach(file -> partition(page, file));
    page.end();
    if (manifest.partitions().size() > SHOWN_PARTITIONS) {
      page.raw("<p>The first ").text(SHOWN_PARTITIONS).raw("; all are in the JSON.</p>");
    }
    page.raw("</section>");
  }

  private static void partition(Html page, PartitionFile file) {
    page.raw("<tr><th scope=row class=m>").text(file.name()).raw("</th>");
    page.number(Texts.count(file.recordCount())).number(Texts.size(file.length()));
    page.number(Texts.size(file.keyBytes())).number(Texts.size(file.valueBytes())).raw("</tr>");
  }

  void sample(Html page, ServedTable table, @Nullable String version) throws IOException {
    try (Held held = service.hold(table, version)) {
      List<Sample.Row> records = Sample.of(held.reader(), SAMPLE_ROWS);
      Schema schema = held.rows().schema();
      page.raw("<p>Rows of version ")
          .element("code", held.version())
          .raw(", drawn by their hash.</p>");
      page.head(
          schema == null
              ? new String[] {"key", "value"}
              : schema.columns().stream().map(Column::name).toArray(String[]::new));
      for (Sample.Row record : records) {
        Map<String, String> columns = held.rows().columnTexts(record.key(), record.value());
        String key = keyAddress(table, held.rows(), record.key(), columns);
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
