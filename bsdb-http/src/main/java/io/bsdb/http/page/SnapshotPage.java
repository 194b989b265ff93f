package io.bsdb.http.page;

import io.bsdb.format.Figures;
import io.bsdb.http.exchange.Problem;
import io.bsdb.http.table.Held;
import io.bsdb.http.table.Sample;
import io.bsdb.http.table.ServedTable;
import io.bsdb.http.table.Service;
import io.bsdb.row.Column;
import io.bsdb.row.Schema;
import io.bsdb.table.SnapshotParts;
import io.bsdb.table.VersionFacts;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.Validity;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The pages of one version: how it is built, and some of its rows. */
record SnapshotPage(Service service) {
  private static final int FIRST_ROWS = 5;
  private static final int SAMPLE_ROWS = 20;
  private static final long SAMPLE_BYTES = 16 << 20;
  private static final int SAMPLE_LENGTHS = 1000;
  private static final int SHOWN_PARTITIONS = 64;

  /**
   * @param requireTime called before each row that is read
   */
  void write(Html page, ServedTable table, @Nullable String version, Runnable requireTime)
      throws IOException {
    Manifest manifest = table.manifest(version);
    firstRows(page, table, version, requireTime);
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("Version", manifest.version());
    facts.put("Records", TablePages.records(manifest));
    facts.put("Size", Figures.size(manifest.length()));
    facts.put("Partitions", Figures.count(manifest.partitions().size()));
    facts.put("Bytes per record", perRecord(manifest, (double) manifest.length()));
    if (manifest.hasChanges()) {
      VersionFacts figures = new VersionFacts(manifest);
      facts.put(
          "Changes",
          "%s and %s in %s of %s"
              .formatted(
                  Figures.count(figures.puts(), "put"),
                  Figures.count(figures.deletes(), "delete"),
                  Figures.count(figures.segments(), "segment"),
                  Figures.size(figures.segmentBytes())));
    }
    Validity validity = manifest.validity();
    facts.put("Order", manifest.order() == RecordOrder.KEY ? "by key" : "by hash");
    if (validity != null) {
      Duration retention = validity.retention();
      facts.put(
          "History",
          "replaced rows kept "
              + (retention == null ? "forever" : "for " + Validity.text(retention))
              + (validity.horizon() == null ? "" : ", complete from " + validity.horizon()));
    }
    facts.put("Layout", manifest.options().getOrDefault("layout", "unknown"));
    facts.put("Follows", manifest.parent() == null ? "none" : manifest.parent());
    page.raw("<section><h2>What it is</h2>").facts(facts).raw("</section>");
    parts(page, table, manifest);
    page.raw("<div class=columns>");
    schema(page, manifest.schema());
    texts(page, "Options of the build", manifest.options());
    texts(page, "Properties", manifest.properties());
    texts(page, "Positions of sources", manifest.sourcePositions());
    page.raw("</div>");
    lengths(page, table, version, requireTime);
    partitions(page, manifest);
  }

  private void firstRows(
      Html page, ServedTable table, @Nullable String version, Runnable requireTime)
      throws IOException {
    page.raw("<section id=rows><h2>Some rows</h2>");
    try {
      rows(page, table, version, FIRST_ROWS, requireTime);
      page.raw("<p>")
          .link(
              "/tables/"
                  + table.name()
                  + "/sample"
                  + (version == null ? "" : "?version=" + TablePages.encode(version)),
              "More rows")
          .raw("</p>");
    } catch (Problem unknown) {
      TablePages.notice(page, unknown);
    }
    page.raw("</section>");
  }

  /** Shows some rows; returns how they were chosen. */
  private String rows(
      Html page, ServedTable table, @Nullable String version, int count, Runnable requireTime)
      throws IOException {
    try (Held held = service.hold(table, version)) {
      Html part = page.part();
      RowTable rows = new RowTable(part, table, held.rows(), version);
      Sample.read(
          held,
          count,
          requireTime,
          (key, value) -> {
            rows.row(key, value);
            return true;
          });
      rows.end();
      page.raw(part.markup());
      return Sample.choice(held.rows());
    }
  }

  private static String perRecord(Manifest manifest, double bytes) {
    return String.format(Locale.ROOT, "%.1f", bytes / Math.max(1, manifest.recordCount()));
  }

  private static void parts(Html page, ServedTable table, Manifest manifest) throws IOException {
    page.raw("<section><h2>What takes the space</h2>");
    SnapshotParts parts = table.parts(manifest);
    if (parts == null) {
      page.raw("<p>The files of this version have been deleted.</p>");
    } else {
      List<Html.Bar> bars = new ArrayList<>();
      parts
          .bytes()
          .forEach(
              (part, bytes) ->
                  bars.add(
                      new Html.Bar(
                          part,
                          (double) bytes,
                          "%s, %s bits per key"
                              .formatted(Figures.size(bytes), perRecord(manifest, 8.0 * bytes)))));
      page.bars("Bytes by part of the files", bars);
    }
    VersionFacts figures = new VersionFacts(manifest);
    long data = figures.keyBytes() + figures.valueBytes();
    page.raw("<p>Keys and values are ")
        .text(Figures.size(data))
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
      page.raw("<section>").element("h2", title).facts(new TreeMap<>(texts)).raw("</section>");
    }
  }

  private void lengths(Html page, ServedTable table, @Nullable String version, Runnable requireTime)
      throws IOException {
    try (Held held = service.hold(table, version)) {
      long[] keys = new long[33];
      long[] values = new long[33];
      long[] read = new long[2]; // records and bytes
      Sample.read(
          held,
          SAMPLE_LENGTHS,
          requireTime,
          (key, value) -> {
            keys[Integer.SIZE - Integer.numberOfLeadingZeros(key.length)]++;
            values[Integer.SIZE - Integer.numberOfLeadingZeros(value.length)]++;
            read[0]++;
            read[1] += value.length;
            return read[1] < SAMPLE_BYTES;
          });
      page.raw("<section><h2>Lengths</h2><p>Of ")
          .text(Figures.count(read[0], "record"))
          .text(", " + Sample.choice(held.rows()) + ".")
          .raw("</p><div class=columns>")
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
        bars.add(new Html.Bar(label, (double) classes[i], Figures.count(classes[i])));
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
    page.number(Figures.count(file.recordCount())).number(Figures.size(file.length()));
    page.number(Figures.size(file.keyBytes())).number(Figures.size(file.valueBytes())).raw("</tr>");
  }

  /**
   * @param requireTime called before each row that is read
   */
  void sample(Html page, ServedTable table, @Nullable String version, Runnable requireTime)
      throws IOException {
    Html part = page.part();
    String choice = rows(part, table, version, SAMPLE_ROWS, requireTime);
    page.raw("<p>Rows of version ")
        .element("code", version == null ? table.reader().version() : version)
        .text(", " + choice + ".")
        .raw("</p>")
        .raw(part.markup());
  }
}
