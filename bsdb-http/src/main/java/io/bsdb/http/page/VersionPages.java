package io.bsdb.http.page;

import io.bsdb.format.Excerpt;
import io.bsdb.format.Figures;
import io.bsdb.http.exchange.Problem;
import io.bsdb.http.exchange.Texts;
import io.bsdb.http.table.Comparisons;
import io.bsdb.http.table.Held;
import io.bsdb.http.table.ServedTable;
import io.bsdb.http.table.Service;
import io.bsdb.http.table.VersionRows;
import io.bsdb.reader.diff.SnapshotDiff;
import io.bsdb.reader.diff.SnapshotDiff.Difference;
import io.bsdb.table.Table;
import io.bsdb.table.VersionFacts;
import io.bsdb.table.manifest.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The pages of a table's versions, and of what two of them differ in. */
record VersionPages(Service service, Comparisons comparisons) {
  private static final int SHOWN_DIFFERENCES = 200;

  void list(Html page, ServedTable table) throws IOException {
    String inUse = table.reader().version();
    page.head(
        "Version", "#Records", "#Size", "Published", "#Age", "Follows", "Properties", "Roll back");
    List<String> versions = new ArrayList<>(Table.at(table.directory()).versions());
    Collections.reverse(versions);
    for (String version : versions) {
      try {
        row(page, table, table.manifest(version), version.equals(inUse));
      } catch (IOException e) {
        page.raw("<tr><th scope=row class=m>")
            .text(version)
            .raw("</th><td colspan=7>")
            .text(String.valueOf(e.getMessage()))
            .raw("</td></tr>");
      } catch (Problem pruned) {
        // between the listing and now
      }
    }
    page.end();
    page.raw(
        "<p>The service changes nothing: to roll back, run the command where the table lies.</p>");
  }

  private static void row(Html page, ServedTable table, Manifest manifest, boolean inUse) {
    page.raw(inUse ? "<tr class=current>" : "<tr>").raw("<th scope=row class=m>");
    page.link(
        "/tables/%s?version=%s".formatted(table.name(), manifest.version()), manifest.version());
    page.raw(inUse ? " <span class=tag>in use</span></th>" : "</th>");
    page.number(TablePages.records(manifest));
    page.number(Figures.size(new VersionFacts(manifest).bytes()));
    page.raw("<td>").raw(TablePages.time(manifest)).raw("</td>");
    page.number(age(manifest.age(Instant.now())));
    page.raw("<td class=m>")
        .text(manifest.parent() == null ? "" : manifest.parent())
        .raw("</td><td>");
    for (Map.Entry<String, String> property : new TreeMap<>(manifest.properties()).entrySet()) {
      page.text(property.getKey() + "=" + property.getValue()).raw("<br>");
    }
    page.raw("</td><td>");
    if (!inUse) {
      String command =
          "bsdb rollback --table %s %s"
              .formatted(Excerpt.shellWord(table.directory()), manifest.version());
      page.raw("<details><summary>Command</summary>").element("pre", command);
      page.raw("</details>")
          .link(
              "/tables/%s/diff?from=%s".formatted(table.name(), manifest.version()),
              "Differences to now");
    }
    page.raw("</td></tr>");
  }

  private static String age(Duration age) {
    return age.toDays() > 1
        ? age.toDays() + " days"
        : age.toHours() > 1
            ? age.toHours() + " h"
            : age.toMinutes() > 1 ? age.toMinutes() + " min" : Math.max(0, age.toSeconds()) + " s";
  }

  void diff(Html page, ServedTable table, @Nullable String from, @Nullable String to)
      throws IOException {
    List<String> versions = new ArrayList<>(Table.at(table.directory()).versions());
    Collections.reverse(versions);
    String second = to == null || to.isEmpty() ? table.reader().version() : to;
    form(page, table, versions, from, second);
    if (from == null) {
      return;
    }
    try (Closeable turn = comparisons.turn();
        Held first = service.hold(table, from);
        Held last = service.hold(table, second);
        SnapshotDiff diff = comparisons.begin(first, last, 1)) {
      Html part = page.part();
      int count = 0;
      part.head("Change", "Key", "Before", "After");
      Difference next = diff.next();
      for (; next != null && count < SHOWN_DIFFERENCES; next = diff.next()) {
        difference(part, table, first.rows(), last.rows(), next);
        count++;
      }
      part.end();
      page.raw("<p id=verdict>");
      page.text(
          count == 0
              ? "No row differs."
              : (next == null ? "" : "The first ")
                  + Figures.count(count, "row")
                  + (count == 1 ? " that differs." : " that differ."));
      page.text(
          diff.isStopped()
              ? " Not all rows could be compared in time: 'bsdb diff' compares all."
              : "");
      page.raw("</p>").raw(count == 0 ? "" : part.markup());
    }
  }

  private static void form(
      Html page, ServedTable table, List<String> versions, @Nullable String from, String to) {
    page.raw("<form class=choice action=").address("/tables/" + table.name() + "/diff").raw(">");
    String first =
        from != null
            ? from
            : versions.stream().filter(each -> !each.equals(to)).findFirst().orElse(to);
    select(page, "from", "From", versions, first);
    select(page, "to", "To", versions, to);
    page.raw("<button>Compare</button></form>");
  }

  private static void select(
      Html page, String name, String label, List<String> versions, String chosen) {
    page.raw("<label>").text(label).raw(" <select name=").raw(name).raw(">");
    for (String version : versions) {
      page.raw(version.equals(chosen) ? "<option selected>" : "<option>")
          .text(version)
          .raw("</option>");
    }
    page.raw("</select></label>");
  }

  private static void difference(
      Html page, ServedTable table, VersionRows first, VersionRows last, Difference row) {
    String kind = row.kind().name().toLowerCase(Locale.ROOT);
    page.raw("<tr><td><span class=\"tag ").raw(kind).raw("\">").text(kind).raw("</span></td>");
    VersionRows holder = row.after() == null ? first : last;
    page.raw("<th scope=row class=m>")
        .link(
            RowTable.keyAddress(table, holder, row.key(), holder.version()),
            RowTable.shortened(last.keyText(row.key())))
        .raw("</th>");
    Map<String, @Nullable String> before = texts(first, row.key(), row.before());
    Map<String, @Nullable String> after = texts(last, row.key(), row.after());
    cell(page, before, after, "del");
    cell(page, after, before, "ins");
    page.raw("</tr>");
  }

  private static Map<String, @Nullable String> texts(
      VersionRows rows, byte[] key, byte @Nullable [] value) {
    if (value == null) {
      return Map.of();
    }
    Map<String, @Nullable String> columns = rows.storedTexts(key, value);
    return columns == null ? Map.of("value", Texts.of(value)) : columns;
  }

  /** Shows the columns that differ; of a row that only one version has, all. */
  private static void cell(
      Html page,
      Map<String, @Nullable String> row,
      Map<String, @Nullable String> other,
      String mark) {
    page.raw("<td>");
    row.forEach(
        (name, text) -> {
          if (!other.containsKey(name) || !Objects.equals(text, other.get(name))) {
            page.text(name + ": ").element(mark, RowTable.shortened(text)).raw("<br>");
          }
        });
    page.raw("</td>");
  }
}
