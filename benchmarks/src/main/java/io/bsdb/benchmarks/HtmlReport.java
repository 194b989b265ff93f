package io.bsdb.benchmarks;

import static io.bsdb.benchmarks.Svg.escape;

import io.bsdb.benchmarks.Results.PeerResult;
import io.bsdb.benchmarks.Results.Size;
import io.bsdb.benchmarks.Svg.Item;
import io.bsdb.benchmarks.peers.BuildProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The results as one page without any other file. */
final class HtmlReport {
  private static final String HEAD =
      """
      <!doctype html><html lang="en"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width"><title>bsdb benchmarks</title><style>
      :root{color-scheme:light dark;--ink:#1c2330;--paper:#fff;--line:#d8dce3;--own:#1f77d0;--peer:#9aa4b2;--limit:#d08a1f}
      @media(prefers-color-scheme:dark){:root{--ink:#e6e9ee;--paper:#14181f;--line:#39404c;--own:#5aa9f5;--peer:#707b8c;--limit:#e0a64a}}
      body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:860px;margin:2em auto;padding:0 1em}
      svg{width:100%;height:auto;margin:.4em 0 1.2em}svg text{fill:var(--ink);font-size:12.5px}svg line{stroke:var(--line)}
      .own{fill:var(--own)}.peer{fill:var(--peer)}.limit{fill:var(--limit)}
      pre{overflow-x:auto;font-size:12px;border:1px solid var(--line);padding:.8em}h2{margin-top:2em;border-bottom:1px solid var(--line)}
      </style></head><body><h1>bsdb benchmarks</h1>
      <p>Blue: bsdb; grey: others; orange: what the disk gives. Peers were measured in turns, so ratios
      within one run say more than nanoseconds.</p>
      """;

  private final StringBuilder page = new StringBuilder(HEAD);

  private HtmlReport() {}

  static String of(Results results) {
    HtmlReport report = new HtmlReport();
    Size largest = results.sizes().get(results.sizes().size() - 1);
    report.ratios(largest);
    report.sizeAgainstSpeed(largest);
    report.threads(largest);
    report.latencies(largest);
    report.builds(largest);
    report.growth(results.sizes());
    report.disk(results);
    report.page.append("<h2>All numbers</h2><pre>");
    report.page.append(escape(TextReport.of(results))).append("</pre></body></html>\n");
    return report.page.toString();
  }

  private void chart(String title, String note, String svg) {
    page.append("<h3>%s</h3><p>%s</p>%s%n".formatted(escape(title), escape(note), svg));
  }

  private static List<Item> items(Size size, ToDoubleFunction<PeerResult> value) {
    return size.peers().stream()
        .map(peer -> Item.bar(peer.name(), value.applyAsDouble(peer)))
        .toList();
  }

  private void ratios(Size size) {
    PeerResult reference = TextReport.reference(size);
    page.append("<h2>Ratios at %,d records</h2>%n".formatted(size.records()));
    page.append("<p>Page cache %s.</p>%n".formatted(escape(size.pageCache())));
    for (String what : Measures.ALL) {
      chart(
          what,
          "times the time per key of " + reference.name() + "; shorter is better",
          Svg.bars(items(size, peer -> peer.median(what) / reference.median(what)), "%.2f×"));
    }
  }

  private void sizeAgainstSpeed(Size size) {
    List<Item> points = new ArrayList<>();
    for (PeerResult peer : size.peers()) {
      BuildProcess.Cost cost = peer.build();
      if (cost != null) {
        points.add(new Item(peer.name(), cost.bytesPerRecord(), peer.median(Measures.GET)));
      }
    }
    page.append("<h2>Size against speed</h2>\n");
    chart(
        "Bytes per record and ns per get",
        "both axes by factors; lower left is better; a record is 116 bytes of key and value",
        Svg.scatter(points, "bytes per record on disk", "ns per get, one thread"));
  }

  private void threads(Size size) {
    page.append("<h2>Throughput against threads</h2>\n");
    List<Item> bars = new ArrayList<>();
    for (PeerResult peer : size.peers()) {
      bars.add(Item.bar(peer.name() + " ×1", 1000 / peer.median(Measures.GET)));
      bars.add(Item.bar(peer.name() + " ×2", 1000 / peer.median(Measures.TWO_THREADS)));
    }
    chart("Million gets per second, 1 and 2 threads", "longer is better", Svg.bars(bars, "%.2f"));
  }

  private void latencies(Size size) {
    page.append("<h2>Latency of a get</h2>\n");
    for (String quantile : List.of("0.5", "0.99", "0.999")) {
      chart(
          "Quantile " + quantile + ", ns",
          "each get timed alone, one thread; about 25 ns of it are the clock",
          Svg.bars(
              items(size, peer -> peer.latencyNanos().getOrDefault(quantile, Double.NaN)),
              "%,.0f"));
    }
  }

  private void builds(Size size) {
    page.append("<h2>Build</h2>\n");
    chart(
        "Million records per second",
        "read from a file, written, published and forced to disk; longer is better",
        Svg.bars(items(size, peer -> of(peer, cost -> cost.recordsPerSecond() / 1e6)), "%.2f"));
    chart(
        "Peak memory of the build, MiB",
        "mapped files included",
        Svg.bars(items(size, peer -> of(peer, cost -> cost.peakMemoryBytes() >> 20)), "%,.0f"));
    chart(
        "Bytes per record on disk",
        "",
        Svg.bars(items(size, peer -> of(peer, BuildProcess.Cost::bytesPerRecord)), "%.1f"));
  }

  private static double of(PeerResult peer, ToDoubleFunction<BuildProcess.Cost> value) {
    BuildProcess.Cost cost = peer.build();
    return cost == null ? Double.NaN : value.applyAsDouble(cost);
  }

  private void growth(List<Size> sizes) {
    if (sizes.size() < 2) {
      return;
    }
    page.append("<h2>Growth</h2>\n");
    for (Size size : sizes) {
      chart(
          "%,d records".formatted(size.records()),
          "ns per get, one thread",
          Svg.bars(items(size, peer -> peer.median(Measures.GET)), "%,.0f"));
    }
  }

  private void disk(Results results) {
    if (results.disk().isEmpty()) {
      return;
    }
    page.append("<h2>Past the page cache</h2>\n");
    chart(
        "Thousand whole lookups (fio: 4 KiB reads) per second",
        "O_DIRECT; best of rounds; one lookup in ten is for an absent key and hardly reads",
        Svg.bars(
            results.disk().stream()
                .map(disk -> Item.bar(disk.name(), disk.operationsPerSecond() / 1000))
                .toList(),
            "%.1f"));
  }
}
