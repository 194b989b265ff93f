package io.bsdb.cli;

import io.bsdb.format.Manifest;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What measuring a table's lookups showed, as text and as JSON.
 *
 * @param access how blocks were really reached
 */
record BenchReport(
    Path snapshot, Manifest manifest, String access, Load load, List<Measured> measured) {
  private static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9);
  private static final String ROW = "%-9s %13s %13s %9s %9s %9s %9s %9s %9s %8s %8s";

  /**
   * How keys were asked for.
   *
   * @param inFlight futures of all threads together; 0 for none
   * @param seconds for each kind of keys
   */
  record Load(int threads, int batch, int inFlight, double seconds) {}

  /**
   * What was measured of one kind of keys.
   *
   * @param firstNanos per key, when each was asked for once before; not cold unless the keys are a
   *     file's, because what drew them had read the table and looked absent ones up
   * @param found share of lookups that found a record
   * @param reads from disk, per lookup
   * @param bytesRead from disk, per lookup
   */
  record Measured(
      String keys,
      int distinct,
      double firstNanos,
      LookupLoad.Outcome outcome,
      double found,
      double reads,
      double bytesRead) {}

  String text() {
    StringBuilder text = new StringBuilder();
    line(text, "snapshot  %s", snapshot);
    line(text, "records   %,d, %s", manifest.recordCount(), ByteSize.format(manifest.length()));
    line(text, "access    %s", access);
    line(text, "asked by  %s, %s", plural(load.threads(), "thread"), asked());
    line(text, "");
    line(
        text,
        ROW,
        "keys",
        "lookups/s",
        "best",
        "p50",
        "p90",
        "p99",
        "p99.9",
        "max",
        "first",
        "found",
        "reads");
    for (Measured each : measured) {
      LookupLoad.Outcome outcome = each.outcome();
      List<Object> cells = new ArrayList<>();
      cells.add(each.keys());
      cells.add(cell("%,.0f", outcome.perSecond()));
      cells.add(cell("%,.0f", outcome.bestPerSecond()));
      for (double percentile : PERCENTILES) {
        cells.add(cell("%.2f", outcome.latencies().getValueAtPercentile(percentile) / 1000.0));
      }
      cells.add(cell("%.0f", outcome.latencies().getMaxValue() / 1000.0));
      cells.add(cell("%.2f", each.firstNanos() / 1000));
      cells.add(cell("%.1f%%", 100 * each.found()));
      cells.add(cell("%.3f", each.reads()));
      line(text, ROW, cells.toArray());
    }
    line(text, "");
    line(text, "Median and best of rounds. p50 to max: µs of a call. first: µs per key when each");
    line(text, "was asked for once before, in one thread; to draw keys, the table had been read");
    line(text, "already, and absent keys looked up. reads: from disk, per lookup.");
    return text.toString();
  }

  private static String plural(int count, String noun) {
    return count + " " + (count == 1 ? noun : noun + "s");
  }

  private String asked() {
    if (load.inFlight() > 0) {
      return "futures, %d under way".formatted(load.inFlight());
    }
    return plural(load.batch(), "key") + " per call";
  }

  private static String cell(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }

  private static void line(StringBuilder text, String format, @Nullable Object... arguments) {
    text.append(String.format(Locale.ROOT, format, arguments).stripTrailing()).append('\n');
  }

  String json() {
    List<Object> all = new ArrayList<>();
    for (Measured each : measured) {
      LookupLoad.Outcome outcome = each.outcome();
      Report latencies = new Report();
      for (double percentile : PERCENTILES) {
        String name = "p" + BigDecimal.valueOf(percentile).stripTrailingZeros().toPlainString();
        latencies.add(name, outcome.latencies().getValueAtPercentile(percentile));
      }
      latencies.add("max", outcome.latencies().getMaxValue());
      all.add(
          new Report()
              .add("keys", each.keys())
              .add("distinctKeys", each.distinct())
              .add("lookups", outcome.lookups())
              .add("lookupsPerSecond", outcome.perSecond())
              .add("bestLookupsPerSecond", outcome.bestPerSecond())
              .add("latencyNanos", latencies.asMap())
              .add("firstLookupNanos", each.firstNanos())
              .add("foundShare", each.found())
              .add("readsPerLookup", each.reads())
              .add("bytesReadPerLookup", each.bytesRead())
              .asMap());
    }
    return new Report()
        .add("version", manifest.version())
        .add("records", manifest.recordCount())
        .add("bytes", manifest.length())
        .add("access", access)
        .add("threads", load.threads())
        .add("keysPerCall", load.batch())
        .add("futuresUnderWay", load.inFlight())
        .add("seconds", load.seconds())
        .add("measured", all)
        .json();
  }
}
