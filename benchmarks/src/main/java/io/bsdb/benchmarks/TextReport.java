package io.bsdb.benchmarks;

import io.bsdb.benchmarks.Results.DiskResult;
import io.bsdb.benchmarks.Results.PeerResult;
import io.bsdb.benchmarks.Results.Series;
import io.bsdb.benchmarks.Results.Size;
import io.bsdb.benchmarks.peers.BuildProcess;
import io.bsdb.benchmarks.peers.Peers;
import java.util.ArrayList;
import java.util.List;

/** The results as tables of text, ratios first. */
final class TextReport {
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

  private void header(String title, String unit) {
    StringBuilder names = new StringBuilder();
    for (String what : Measures.ALL) {
      names.append("%16s".formatted(what));
    }
    line("%n%s%n  %-24s%s", title, unit, names);
  }

  private void size(Size size) {
    PeerResult reference = reference(size);
    line("%n== %,d records; page cache %s", size.records(), size.pageCache());
    header("How many times the time of " + reference.name() + " (medians; over 1: slower)", "");
    for (PeerResult peer : size.peers()) {
      List<String> cells = new ArrayList<>();
      for (String what : Measures.ALL) {
        cells.add("%15.2fx".formatted(peer.median(what) / reference.median(what)));
      }
      line("  %-24s%s", peer.name(), String.join("", cells));
    }
    header("Median / best of rounds", "ns per key");
    for (PeerResult peer : size.peers()) {
      List<String> cells = new ArrayList<>();
      for (String what : Measures.ALL) {
        Series series = peer.nanosPerKey().get(what);
        cells.add(
            series == null
                ? "%16s".formatted("")
                : "%16s".formatted("%.0f / %.0f".formatted(series.median(), series.best())));
      }
      line("  %-24s%s", peer.name(), String.join("", cells));
    }
    builds(size, reference);
  }

  private void builds(Size size, PeerResult reference) {
    line(
        "%nBuild and size, get latency%n  %-24s%14s%14s%12s%12s%9s%9s%9s%9s",
        "", "records/s", "of reference", "peak MiB", "bytes/rec", "p50 ns", "p90", "p99", "p99.9");
    BuildProcess.Cost base = reference.build();
    for (PeerResult peer : size.peers()) {
      BuildProcess.Cost cost = peer.build();
      String build =
          cost == null
              ? "%14s%14s%12s%12s".formatted("", "", "", "")
              : "%,14.0f%13.2fx%,12d%12.1f"
                  .formatted(
                      cost.recordsPerSecond(),
                      base == null ? Double.NaN : cost.recordsPerSecond() / base.recordsPerSecond(),
                      cost.peakMemoryBytes() >> 20,
                      cost.bytesPerRecord());
      StringBuilder latencies = new StringBuilder();
      peer.latencyNanos().forEach((q, nanos) -> latencies.append("%,9.0f".formatted(nanos)));
      line("  %-24s%s%s", peer.name(), build, latencies);
    }
  }

  private void growth(List<Size> sizes) {
    StringBuilder names = new StringBuilder();
    sizes.forEach(size -> names.append("%,16d".formatted(size.records())));
    line("%nHow get grows with the number of records, ns (median)%n  %-24s%s", "", names);
    for (PeerResult peer : sizes.get(0).peers()) {
      StringBuilder cells = new StringBuilder();
      for (Size size : sizes) {
        size.peers().stream()
            .filter(other -> other.name().equals(peer.name()))
            .forEach(other -> cells.append("%16.0f".formatted(other.median(Measures.GET))));
      }
      line("  %-24s%s", peer.name(), cells);
    }
  }

  private void disk(List<DiskResult> disk) {
    line("%nPast the page cache (O_DIRECT): whole lookups, 90 %% of them present; best of rounds");
    line(
        "  %-44s%12s%12s%14s%14s%14s",
        "", "of fio", "per second", "reads/hit", "reads/miss", "pages/read");
    for (DiskResult result : disk) {
      line(
          "  %-44s%12s%,12.0f%14s%14s%14.2f",
          result.name(),
          number("%.2fx", result.ofFio()),
          result.operationsPerSecond(),
          number("%.4f", result.readsPerHit()),
          number("%.4f", result.readsPerMiss()),
          result.pagesPerRead());
    }
  }

  static String number(String format, double value) {
    return Double.isNaN(value) ? "" : format.formatted(value);
  }
}
