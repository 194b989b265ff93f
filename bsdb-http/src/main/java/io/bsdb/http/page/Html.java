package io.bsdb.http.page;

import io.bsdb.format.Figures;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Builds a page. What is not markup is escaped. Addresses are relative to that of the page, so that
 * pages work below any path of a proxy.
 */
final class Html {
  private final String root;
  private final StringBuilder out = new StringBuilder(4096);

  /**
   * @param root leads from the page to the start page
   */
  Html(String root) {
    this.root = root;
  }

  /** Returns what leads to the start page from one whose address has these segments. */
  static String root(int segments) {
    return segments <= 1 ? "./" : "../".repeat(segments - 1);
  }

  /** Returns an empty page with the same address. */
  Html part() {
    return new Html(root);
  }

  /** Appends an address of this server in quotes; begins with a slash. */
  Html address(String address) {
    return raw("\"").text(root).text(address.substring(1)).raw("\"");
  }

  /** Appends markup. */
  Html raw(String markup) {
    out.append(markup);
    return this;
  }

  /** Appends text. */
  Html text(Object text) {
    out.append(escape(text.toString()));
    return this;
  }

  /** Appends an element without attributes that holds a text. */
  Html element(String name, Object text) {
    return raw("<" + name + ">").text(text).raw("</" + name + ">");
  }

  /** Appends a link to an address of this server. */
  Html link(String address, Object text) {
    return raw("<a href=").address(address).raw(">").text(text).raw("</a>");
  }

  /** Appends a name with its value. */
  Html fact(String name, Object value) {
    return element("dt", name).element("dd", value);
  }

  /** Appends names with their values. */
  Html facts(Map<String, String> facts) {
    raw("<dl class=facts>");
    facts.forEach(this::fact);
    return raw("</dl>");
  }

  Html head(String... columns) {
    raw("<div class=scroll><table><thead><tr>");
    for (String column : columns) {
      boolean number = column.startsWith("#");
      raw(number ? "<th scope=col class=n>" : "<th scope=col>")
          .text(number ? column.substring(1) : column)
          .raw("</th>");
    }
    return raw("</tr></thead><tbody>");
  }

  Html number(Object value) {
    return raw("<td class=n>").text(value).raw("</td>");
  }

  Html end() {
    return raw("</tbody></table></div>");
  }

  /** Appends horizontal bars. */
  Html bars(String title, List<Bar> bars) {
    double most = bars.stream().mapToDouble(Bar::value).max().orElse(1);
    int height = 22 * bars.size();
    raw("<figure><figcaption>").text(title).raw("</figcaption>");
    raw("<svg class=bars viewBox=\"0 0 560 " + Math.max(1, height) + "\" role=img aria-label=\"");
    text(title).raw("\">");
    for (int i = 0; i < bars.size(); i++) {
      Bar bar = bars.get(i);
      double width = most == 0 ? 0 : 220 * bar.value / most;
      raw("<text x=0 y=" + (22 * i + 15) + ">").text(bar.label).raw("</text>");
      raw(
          String.format(
              Locale.ROOT,
              "<rect class=bar x=130 y=%d width=%.1f height=14 rx=2></rect>",
              22 * i + 4,
              Math.max(1, width)));
      raw(String.format(
              Locale.ROOT, "<text class=v x=%.1f y=%d>", 138 + Math.max(1, width), 22 * i + 15))
          .text(bar.note)
          .raw("</text>");
    }
    return raw("</svg></figure>");
  }

  /**
   * One bar.
   *
   * @param note shown after it
   */
  record Bar(String label, double value, String note) {}

  /** Appends a line of one value per second. */
  Html line(String title, long[] values, String now) {
    long most = 1;
    for (long value : values) {
      most = Math.max(most, value);
    }
    StringBuilder points = new StringBuilder();
    for (int i = 0; i < values.length; i++) {
      points.append(
          String.format(
              Locale.ROOT,
              "%.1f,%.1f ",
              i * 560.0 / (values.length - 1),
              78 - 72.0 * values[i] / most));
    }
    raw("<figure><figcaption>").text(title).raw(" <b>").text(now).raw("</b></figcaption>");
    raw("<svg class=line viewBox=\"0 0 560 80\" preserveAspectRatio=none role=img aria-label=\"")
        .text(title)
        .raw("\"><polygon class=area points=\"0,80 ")
        .raw(points.toString())
        .raw("560,80\"></polygon><polyline points=\"")
        .raw(points.toString().strip())
        .raw("\"></polyline></svg>");
    return raw("<p class=axis><span>a minute ago</span><span>at most ")
        .text(Figures.count(most))
        .raw(" a second</span><span>now</span></p></figure>");
  }

  static String escape(String text) {
    StringBuilder escaped = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> escaped.append("&amp;");
        case '<' -> escaped.append("&lt;");
        case '>' -> escaped.append("&gt;");
        case '"' -> escaped.append("&quot;");
        case '\'' -> escaped.append("&#39;");
        default -> escaped.append(c);
      }
    }
    return escaped.toString();
  }

  String markup() {
    return out.toString();
  }

  ByteBuffer toByteBuffer() {
    return StandardCharsets.UTF_8.encode(out.toString());
  }
}
