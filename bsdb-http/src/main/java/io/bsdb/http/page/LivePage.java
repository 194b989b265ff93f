package io.bsdb.http.page;

import io.bsdb.format.Figures;
import io.bsdb.http.exchange.Activity;
import io.bsdb.http.table.Held;
import io.bsdb.http.table.ServedTable;
import io.bsdb.http.table.Service;
import io.bsdb.reader.metrics.ReaderMetrics;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The page of what the server is doing. */
record LivePage(Service service, Activity activity) {
  void write(Html page) throws IOException {
    Activity.Minute minute = activity.lastMinute();
    long requests = Arrays.stream(minute.requests()).sum();
    long keys = Arrays.stream(minute.keys()).sum();
    long found = Arrays.stream(minute.found()).sum();
    page.raw("<div id=live><p>The last minute; the second that has not ended is left out.</p>");
    page.raw("<div class=columns>")
        .line("Requests a second", minute.requests(), last(minute.requests()))
        .line("Keys a second", minute.keys(), last(minute.keys()))
        .raw("</div>");
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("Requests", Figures.count(requests));
    facts.put("Half of them within", time(minute.p50()));
    facts.put("99 % within", time(minute.p99()));
    facts.put("Keys looked up", Figures.count(keys));
    facts.put(
        "Found", keys == 0 ? "none" : String.format(Locale.ROOT, "%.1f %%", 100.0 * found / keys));
    facts.put("Errors of the server", Figures.count(minute.errors()));
    page.facts(facts);
    page.raw("<section><h2>Readers, since each version's files were opened</h2>");
    page.head(
        "Table",
        "#Hits",
        "#Misses",
        "#Failures",
        "#Blocks read",
        "#Bytes read",
        "#p99 of reads",
        "Access");
    for (ServedTable table : service.tables()) {
      try (Held held = table.hold()) {
        row(page, table, held.reader().metrics());
      }
    }
    page.end().raw("</section></div>");
  }

  private static String last(long[] values) {
    return Figures.count(values[values.length - 1]);
  }

  private static String time(double micros) {
    return micros == 0
        ? "none"
        : micros < 1000
            ? String.format(Locale.ROOT, "%.0f µs", micros)
            : String.format(Locale.ROOT, "%.1f ms", micros / 1000);
  }

  private static void row(Html page, ServedTable table, ReaderMetrics metrics) {
    page.raw("<tr><th scope=row>").link("/tables/" + table.name(), table.name()).raw("</th>");
    page.number(Figures.count(metrics.hits())).number(Figures.count(metrics.misses()));
    page.number(Figures.count(metrics.failures())).number(Figures.count(metrics.blockReads()));
    page.number(Figures.size(metrics.bytesRead()));
    page.number(time(metrics.readLatency().quantile(0.99) / 1e3));
    page.element("td", metrics.effectiveAccess()).raw("</tr>");
  }
}
