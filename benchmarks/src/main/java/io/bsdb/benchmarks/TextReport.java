package io.bsdb.benchmarks;

import io.bsdb.benchmarks.Results.DiskResult;
import io.bsdb.benchmarks.Results.Limit;
import io.bsdb.benchmarks.Results.PeerResult;
import io.bsdb.benchmarks.Results.Series;
import io.bsdb.benchmarks.Results.Size;
import io.bsdb.benchmarks.peers.BuildProcess;
import io.bsdb.benchmarks.peers.Peers;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

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
    if (results.sizes().size() > 1) {
      report.growth(results.sizes());
    }
    if (!results.disk().isEmpty()) {
      report.disk(results.disk());
    }
    report.line("%nConfiguration");
    for (PeerResult peer : results.sizes().get(0).peers()) {
      report.line("  %-24s %s", peer.name(), peer.configuration());
    }
    return report.text.toString();
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
    header(
        "Latency of a get, ns, each timed alone",
        QUANTILES.stream().map(quantile -> "p" + 100 * quantile).toList());
    for (PeerResult peer : size.peers()) {
      StringBuilder cells = new StringBuilder();
      QUANTILES.forEach(quantile -> cells.append(cell("%,.0f", peer.latency(quantile))));
      line("  %-24s%s", peer.name(), cells);
    }
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

  private void growth(List<Size> sizes) {
    List<String> columns = sizes.stream().map(size -> "%,d".formatted(size.records())).toList();
    header("How get grows with the number of records, ns (median)", columns);
    for (PeerResult peer : sizes.get(0).peers()) {
      growth(sizes, peer.name(), other -> other.median(Measures.GET));
    }
  }

  private void growth(List<Size> sizes, String name, ToDoubleFunction<PeerResult> value) {
    StringBuilder cells = new StringBuilder();
    for (Size size : sizes) {
      size.peers().stream()
          .filter(peer -> peer.name().equals(name))
          .forEach(peer -> cells.append(cell("%.0f", value.applyAsDouble(peer))));
    }
    line("  %-24s%s", name, cells);
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
}
