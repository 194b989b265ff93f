package io.bsdb.examples.quickstart;

import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Results of a quickstart.
 *
 * @param sample some enriched check-ins, a value for each of the columns shown
 * @param countries how many check-ins there were in each country, in the order to show; under null,
 *     those whose place was not found
 * @param seconds for which the stream was enriched
 */
record QuickstartReport(
    List<List<@Nullable Object>> sample, List<CountryCount> countries, double seconds) {
  private static final int SHOWN = 10;

  /** Number of check-ins in a country. */
  record CountryCount(@Nullable String country, long count) {}

  QuickstartReport {
    sample = List.copyOf(sample);
    countries = List.copyOf(countries);
  }

  /**
   * Shows it.
   *
   * @param enriched where the enriched check-ins are
   * @return whether every check-in came out
   */
  boolean print(QuickstartOutput output, Path table, String enriched, long events)
      throws IOException {
    output.section("Ten enriched check-ins");
    output.table(
        sample, "check_in", "user", "geoname_id", "city", "country", "timezone", "population");

    long total = 0;
    long unmatched = 0;
    List<List<@Nullable Object>> shown = new ArrayList<>();
    for (CountryCount each : countries) {
      total += each.count();
      if (each.country() == null) {
        unmatched += each.count();
      } else if (shown.size() < SHOWN) {
        shown.add(Arrays.asList(each.country(), each.count()));
      }
    }
    output.section("The ten countries with most check-ins");
    output.table(shown, "country", "check_ins");

    Table built = Table.at(table);
    Manifest manifest = built.manifest(built.requireCurrentVersion());
    output.section("Where it is");
    output.line(
        "snapshot  %s/snapshots/%s: %,d records, %,d bytes, %.1f bytes per record",
        table,
        manifest.version(),
        manifest.recordCount(),
        manifest.length(),
        (double) manifest.length() / manifest.recordCount());
    output.line("enriched  %s", enriched);
    output.line("look one up: ./bsdb get --table '%s' -- 2950159", table);
    output.line("");
    output.line(
        "events=%d enriched=%d unmatched=%d rows_per_second=%.0f",
        events, total - unmatched, unmatched, events / seconds);
    return total == events && unmatched == events / CheckIns.UNKNOWN_EVERY;
  }
}
