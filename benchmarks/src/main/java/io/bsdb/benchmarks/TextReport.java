package io.bsdb.benchmarks;

import io.bsdb.benchmarks.Enrichment.Join;
import io.bsdb.benchmarks.Results.DiskResult;
import io.bsdb.benchmarks.Results.Limit;
import io.bsdb.benchmarks.Results.PeerResult;
import io.bsdb.benchmarks.Results.Series;
import io.bsdb.benchmarks.Results.Size;
import io.bsdb.benchmarks.peers.BuildProcess;
import io.bsdb.benchmarks.peers.Peers;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The results as tables of text, ratios first. */
final class TextReport {
  private static final List<Double> QUANTILES = List.of(0.5, 0.9, 0.99, 0.999);
  private static final int WIDTH = 16;

  private final StringBuilder text = new StringBuilder(8192);

  private TextReport() {}

  static String of(Results results) {
    TextReport report = new TextReport();
    results.machine().forEach((name, value) -> report.line("%-22s %s", name, value));
    results.parameters().forEach((name, value) -> report.line("%-22s %s", name, value));
    for (Size size : results.sizes()) {
      report.size(size);
    }
    Map<String, String> configurations = configurations(results);
    if (results.sizes().size() > 1) {
      report.growth(results.sizes(), configurations.keySet());
    }
    if (!results.disk().isEmpty()) {
      report.disk(results.disk());
    }
    for (Enrichment enrichment : results.enrichment()) {
      report.enrichment(enrichment);
    }
    if (!configurations.isEmpty()) {
      report.line("%nConfiguration");
    }
    configurations.forEach((name, value) -> report.line("  %-24s %s", name, value));
    return report.text.toString();
  }

  /** Of all stores that ran at any record count. */
  private static Map<String, String> configurations(Results results) {
    Map<String, String> configurations = new LinkedHashMap<>();
    for (Size size : results.sizes()) {
      size.peers().forEach(peer -> configurations.put(peer.name(), peer.configuration()));
    }
    return configurations;
  }

  @SuppressWarnings("AnnotateFormatMethod") // the annotation is of a library not used here
  private void line(String format, Object... arguments) {
    text.append(format.formatted(arguments).stripTrailing()).append('\n');
  }

  /** The peer that others are compared with: bsdb's default, or whatever comes first. */
  static PeerResult reference(Size size) {
    return size.peers().stream()
        .filter(peer -> peer.name().equals(Peers.REFERENCE))
        .findFirst()
        .orElse(size.peers().get(0));
  }

  private static String cell(String format, double value) {
    return cell(Double.isFinite(value) ? format.formatted(value) : "");
  }

  private static String cell(String content) {
    return " ".repeat(Math.max(1, WIDTH - content.length())) + content;
  }

  private void header(String title, List<String> columns) {
    StringBuilder cells = new StringBuilder();
    columns.forEach(column -> cells.append(cell(column)));
    line("%n%s%n  %-24s%s", title, "", cells);
  }

  private void size(Size size) {
    line("%n== %,d records; page cache %s", size.records(), size.pageCache());
    if (!size.turns().isEmpty()) {
      line("   %s", size.turns());
    }
    size.leftOut().forEach(store -> line("   left out: %s", store));
    if (size.peers().stream().anyMatch(peer -> !peer.nanosPerKey().isEmpty())) {
      lookups(size);
    }
    if (size.peers().stream().anyMatch(peer -> peer.build() != null)) {
      builds(size);
    }
  }

  private void lookups(Size size) {
    PeerResult reference = reference(size);
    header(
        "How many times the time of " + reference.name() + " (medians; over 1: slower)",
        Measures.all());
    for (PeerResult peer : size.peers()) {
      row(peer, what -> cell("%.2fx", peer.median(what) / reference.median(what)));
    }
    header("Median / best of rounds, ns per key", Measures.all());
    for (PeerResult peer : size.peers()) {
      row(
          peer,
          what -> {
            Series series = peer.nanosPerKey().get(what);
            return series == null
                ? cell("")
                : cell("%.0f / %.0f".formatted(series.median(), series.best()));
          });
    }
    Limit memory = size.memory();
    if (memory != null) {
      line(
          "  %-24s%s",
          "one read of memory",
          "%.0f ns one after the other, %.0f ns many at once, spread over %,d MiB of mapped files"
              .formatted(
                  memory.dependent().median(),
                  memory.independent().median(),
                  memory.bytes() >> 20));
    }
    if (size.peers().stream().anyMatch(peer -> peer.memory() != null)) {
      alone(size);
    }
    header(
        "Latency of a get, ns, each timed alone",
        QUANTILES.stream().map(quantile -> "p" + 100 * quantile).toList());
    for (PeerResult peer : size.peers()) {
      StringBuilder cells = new StringBuilder();
      QUANTILES.forEach(quantile -> cells.append(cell("%,.0f", peer.latency(quantile))));
      line("  %-24s%s", peer.name(), cells);
    }
  }

  /** What stores that ran one after the other can be compared by. */
  private void alone(Size size) {
    PeerResult reference = reference(size);
    header(
        "Beside the memory that each had at its time",
        List.of("one read, ns", "many at once, ns", "get, in reads", "of reference"));
    for (PeerResult peer : size.peers()) {
      Limit memory = peer.memory();
      if (memory != null) {
        line(
            "  %-24s%s%s%s%s",
            peer.name(),
            cell("%.0f", memory.dependent().median()),
            cell("%.0f", memory.independent().median()),
            cell("%.2f", getInReads(peer)),
            cell("%.2fx", getInReads(peer) / getInReads(reference)));
      }
    }
  }

  private static double getInReads(PeerResult peer) {
    Limit memory = peer.memory();
    return memory == null ? Double.NaN : peer.median(Measures.GET) / memory.dependent().median();
  }

  private void row(PeerResult peer, Function<String, String> cells) {
    StringBuilder row = new StringBuilder();
    Measures.all().forEach(what -> row.append(cells.apply(what)));
    line("  %-24s%s", peer.name(), row);
  }

  private void builds(Size size) {
    header(
        "Build and size",
        List.of("records/s", "of reference", "peak MiB", "without files", "bytes/record"));
    BuildProcess.Cost base = reference(size).build();
    for (PeerResult peer : size.peers()) {
      BuildProcess.Cost cost = peer.build();
      if (cost != null) {
        line(
            "  %-24s%s%s%s%s%s",
            peer.name(),
            cell("%,.0f", cost.recordsPerSecond()),
            cell(
                "%.2fx",
                base == null ? Double.NaN : cost.recordsPerSecond() / base.recordsPerSecond()),
            cell("%,.0f", (double) (cost.peakMemoryBytes() >> 20)),
            cell("%,.0f", (double) (cost.peakAnonymousBytes() >> 20)),
            cell("%.1f", cost.bytesPerRecord()));
      }
    }
  }

  private void growth(List<Size> sizes, Collection<String> names) {
    List<String> columns = sizes.stream().map(size -> "%,d".formatted(size.records())).toList();
    header("How get grows with the number of records, ns (median)", columns);
    for (String name : names) {
      StringBuilder cells = new StringBuilder();
      for (Size size : sizes) {
        double nanos =
            size.peers().stream()
                .filter(peer -> peer.name().equals(name))
                .mapToDouble(peer -> peer.median(Measures.GET))
                .findFirst()
                .orElse(Double.NaN);
        cells.append(cell("%.0f", nanos));
      }
      line("  %-24s%s", name, cells);
    }
  }

  private void disk(List<DiskResult> disk) {
    line(
        "%nPast the page cache (O_DIRECT): whole lookups, 90 %% of them present; median of rounds");
    line(
        "  %-44s%s%s%s%s%s%s",
        "",
        cell("of fio"),
        cell("per second"),
        cell("reads/hit"),
        cell("reads/miss"),
        cell("pages/read"),
        cell("cores"));
    for (DiskResult result : disk) {
      line(
          "  %-44s%s%s%s%s%s%s",
          result.name(),
          cell("%.2fx", result.ofFio()),
          cell("%,.0f", result.operationsPerSecond()),
          cell("%.4f", result.readsPerHit()),
          cell("%.4f", result.readsPerMiss()),
          cell("%.2f", result.pagesPerRead()),
          cell("%.2f", result.cores()));
    }
  }

  private void enrichment(Enrichment enrichment) {
    line(
        "%n== %s: %,d records, %,d events",
        enrichment.title(), enrichment.records(), enrichment.events());
    enrichment.leftOut().forEach(join -> line("   left out: %s", join));
    Set<String> compared = new LinkedHashSet<>();
    Set<String> measures = new LinkedHashSet<>();
    for (Join join : enrichment.joins()) {
      compared.addAll(join.ratios().keySet());
      measures.addAll(join.measures().keySet());
    }
    if (!compared.isEmpty()) {
      wideHeader("Times that of " + enrichment.reference() + " (medians of rounds)", compared);
      for (Join join : enrichment.joins()) {
        wideRow(join, compared, what -> "%.2fx".formatted(join.ratios().get(what)));
      }
    }
    wideHeader("Medians", measures);
    for (Join join : enrichment.joins()) {
      wideRow(join, measures, what -> threeDigits(join.measures().get(what)));
    }
  }

  private void wideHeader(String title, Set<String> columns) {
    StringBuilder cells = new StringBuilder();
    columns.forEach(column -> cells.append(cell(column)));
    line("%n%s%n  %-34s%s", title, "", cells);
  }

  private void wideRow(Join join, Set<String> columns, UnaryOperator<String> value) {
    StringBuilder cells = new StringBuilder();
    for (String column : columns) {
      boolean has = join.measures().containsKey(column);
      cells.append(cell(has ? value.apply(column) : ""));
    }
    line("  %-34s%s", join.name(), cells);
  }

  private static String threeDigits(@Nullable Series series) {
    double median = series == null ? Double.NaN : series.median();
    double size = Math.abs(median);
    return (size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : "%.3f").formatted(median);
  }
}
