package io.bsdb.benchmarks;

import java.util.List;
import java.util.Locale;

/** Three kinds of charts as inline SVG; colours come from the page's style sheet. */
final class Svg {
  private static final int WIDTH = 760;
  private static final int LABELS = 280;

  private Svg() {}

  /** One bar or point. */
  record Item(String name, double x, double y) {
    static Item bar(String name, double value) {
      return new Item(name, value, 0);
    }

    String style() {
      return name.startsWith("bsdb") ? "own" : name.startsWith("fio") ? "limit" : "peer";
    }
  }

  private static String text(double x, double y, String anchor, String content) {
    return String.format(
        Locale.ROOT,
        "<text x='%.1f' y='%.1f' text-anchor='%s'>%s</text>",
        x,
        y,
        anchor,
        escape(content));
  }

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("'", "&#39;")
        .replace("\"", "&quot;");
  }

  private static String open(int height) {
    return "<svg viewBox='0 0 %d %d' role='img'>".formatted(WIDTH, height);
  }

  /** Horizontal bars from zero on. */
  static String bars(List<Item> items, String format) {
    StringBuilder svg = new StringBuilder(open(items.size() * 24 + 8));
    double most = items.stream().mapToDouble(Item::x).filter(Double::isFinite).max().orElse(1);
    double scale = (WIDTH - LABELS - 90) / most;
    for (int i = 0; i < items.size(); i++) {
      Item item = items.get(i);
      if (!Double.isFinite(item.x())) {
        continue;
      }
      int y = i * 24 + 4;
      svg.append(text(LABELS - 8, y + 14, "end", item.name()));
      svg.append(
          String.format(
              Locale.ROOT,
              "<rect class='%s' x='%d' y='%d' width='%.1f' height='18' rx='2'><title>%s</title></rect>",
              item.style(),
              LABELS,
              y,
              Math.max(1, item.x() * scale),
              escape(item.name())));
      svg.append(text(LABELS + item.x() * scale + 6, y + 14, "start", format.formatted(item.x())));
    }
    return svg.append("</svg>").toString();
  }

  /** Points on axes that both grow by factors. */
  static String scatter(List<Item> items, String xTitle, String yTitle) {
    int height = 400;
    List<Item> shown = items.stream().filter(item -> item.x() > 0 && item.y() > 0).toList();
    StringBuilder svg = new StringBuilder(open(height));
    Axis xAxis = Axis.of(shown.stream().mapToDouble(Item::x).toArray(), 70, WIDTH - 150);
    Axis yAxis = Axis.of(shown.stream().mapToDouble(Item::y).toArray(), height - 50, 20);
    for (double tick : xAxis.ticks()) {
      svg.append(line(xAxis.place(tick), 20, xAxis.place(tick), height - 50));
      svg.append(text(xAxis.place(tick), height - 34, "middle", "%,.0f".formatted(tick)));
    }
    for (double tick : yAxis.ticks()) {
      svg.append(line(70, yAxis.place(tick), WIDTH - 150, yAxis.place(tick)));
      svg.append(text(62, yAxis.place(tick) + 4, "end", "%,.0f".formatted(tick)));
    }
    for (Item item : shown) {
      double x = xAxis.place(item.x());
      double y = yAxis.place(item.y());
      svg.append(
          String.format(
              Locale.ROOT,
              "<circle class='%s' cx='%.1f' cy='%.1f' r='6'><title>%s: %.1f, %.1f</title></circle>",
              item.style(),
              x,
              y,
              escape(item.name()),
              item.x(),
              item.y()));
      svg.append(text(x + 9, y + 4, "start", item.name()));
    }
    svg.append(text((WIDTH - 80) / 2.0, height - 10, "middle", xTitle));
    return svg.append(text(4, 12, "start", yTitle)).append("</svg>").toString();
  }

  private static String line(double x1, double y1, double x2, double y2) {
    return String.format(
        Locale.ROOT, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f'/>", x1, y1, x2, y2);
  }

  /** Logarithmic, from {@code first} to {@code last} pixels. */
  private record Axis(double least, double most, double first, double last) {
    static Axis of(double[] values, double first, double last) {
      double least = java.util.Arrays.stream(values).min().orElse(1) * 0.8;
      double most = java.util.Arrays.stream(values).max().orElse(10) * 1.25;
      return new Axis(least, most, first, last);
    }

    double place(double value) {
      return first + (last - first) * Math.log(value / least) / Math.log(most / least);
    }

    double[] ticks() {
      return java.util.stream.IntStream.range(0, 40)
          .mapToDouble(i -> new double[] {1, 2, 5}[i % 3] * Math.pow(10, Math.floorDiv(i, 3)))
          .filter(tick -> tick >= least && tick <= most)
          .toArray();
    }
  }
}
