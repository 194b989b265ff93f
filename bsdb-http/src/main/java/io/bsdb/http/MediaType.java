package io.bsdb.http;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The media types that are spoken here. */
enum MediaType {
  JSON("application/json", "application/json"),
  NDJSON("application/x-ndjson", "application/x-ndjson"),
  BYTES("application/octet-stream", "application/octet-stream"),
  CSV("text/csv", "text/csv;charset=utf-8;header=present"),
  HTML("text/html", "text/html;charset=utf-8"),
  PROBLEM("application/problem+json", "application/problem+json"),
  METRICS("text/plain", "text/plain; version=0.0.4; charset=utf-8"),
  STYLE("text/css", "text/css;charset=utf-8"),
  SCRIPT("text/javascript", "text/javascript;charset=utf-8");

  final String name;
  final String header;

  MediaType(String name, String header) {
    this.name = name;
    this.header = header;
  }

  /** Returns the one with a name, of a header that may have parameters; null if there is none. */
  static @Nullable MediaType of(String header) {
    String wanted = bare(header);
    for (MediaType type : values()) {
      if (type.name.equals(wanted)) {
        return type;
      }
    }
    return null;
  }

  private static String bare(String header) {
    int end = header.indexOf(';');
    return (end < 0 ? header : header.substring(0, end)).strip().toLowerCase(Locale.ROOT);
  }

  /**
   * Chooses what to answer with.
   *
   * @param accept the request's header; null if it has none
   * @param offered the first is the default
   * @throws Problem if none of them is accepted
   */
  static MediaType negotiate(@Nullable String accept, List<MediaType> offered) {
    if (accept == null || accept.equals("*/*")) {
      return offered.get(0);
    }
    MediaType best = null;
    double bestQuality = 0;
    for (MediaType type : offered) {
      double quality = quality(accept, type);
      if (quality > bestQuality) {
        best = type;
        bestQuality = quality;
      }
    }
    if (best == null) {
      throw new Problem(
          Problem.Kind.NOT_ACCEPTABLE,
          "Accept is '%s'; there is %s"
              .formatted(accept, offered.stream().map(type -> type.name).toList()));
    }
    return best;
  }

  /** Returns the quality that the most specific range gives a type; 0 if none has it. */
  private static double quality(String accept, MediaType type) {
    String family = type.name.substring(0, type.name.indexOf('/')) + "/*";
    double quality = 0;
    int specificity = 0;
    for (String range : accept.split(",", -1)) {
      String name = bare(range);
      int rank = name.equals(type.name) ? 3 : name.equals(family) ? 2 : name.equals("*/*") ? 1 : 0;
      if (rank > specificity) {
        specificity = rank;
        quality = weight(range);
      }
    }
    return quality;
  }

  private static double weight(String range) {
    for (String parameter : range.split(";", -1)) {
      String text = parameter.strip();
      if (text.startsWith("q=") || text.startsWith("Q=")) {
        try {
          return Double.parseDouble(text.substring(2));
        } catch (NumberFormatException e) {
          return 0;
        }
      }
    }
    return 1;
  }
}
