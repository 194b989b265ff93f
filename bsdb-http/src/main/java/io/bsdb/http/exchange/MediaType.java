package io.bsdb.http.exchange;

import java.util.List;
import java.util.Locale;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.PreEncodedHttpField;
import org.eclipse.jetty.http.QuotedQualityCSV;
import org.eclipse.jetty.http.QuotedQualityCSV.QualityValue;
import org.jspecify.annotations.Nullable;

/** The media types that are spoken here. */
public enum MediaType {
  JSON("application/json", "application/json"),
  NDJSON("application/x-ndjson", "application/x-ndjson"),
  BYTES("application/octet-stream", "application/octet-stream"),
  CSV("text/csv", "text/csv;charset=utf-8;header=present"),
  HTML("text/html", "text/html;charset=utf-8"),
  PROBLEM("application/problem+json", "application/problem+json"),
  METRICS("text/plain", "text/plain; version=0.0.4; charset=utf-8"),
  STYLE("text/css", "text/css;charset=utf-8"),
  SCRIPT("text/javascript", "text/javascript;charset=utf-8");

  public final String name;

  @SuppressWarnings("ImmutableEnumChecker") // it is immutable, only not marked so
  final HttpField contentType;

  MediaType(String name, String header) {
    this.name = name;
    this.contentType = new PreEncodedHttpField(HttpHeader.CONTENT_TYPE, header);
  }

  /** Returns the type that a header names, whatever its parameters; null if there is none. */
  public static @Nullable MediaType of(String header) {
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
   * @param accept the request's headers; empty, or of empty text, if it accepts anything
   * @param offered the first is the default
   * @throws Problem if none of them is accepted
   */
  static MediaType negotiate(List<String> accept, List<MediaType> offered) {
    if (accept.isEmpty() || String.join("", accept).isBlank()) {
      return offered.get(0);
    }
    QuotedQualityCSV parsed = new QuotedQualityCSV();
    try {
      accept.forEach(parsed::addValue);
    } catch (IllegalArgumentException e) {
      throw new Problem(
          Problem.Kind.BAD_REQUEST, "Accept is malformed: %s", String.join(", ", accept));
    }
    List<QualityValue> ranges = parsed.getQualityValues();
    MediaType best = null;
    double bestQuality = 0;
    for (MediaType type : offered) {
      double quality = quality(ranges, type);
      if (quality > bestQuality) {
        best = type;
        bestQuality = quality;
      }
    }
    if (best == null) {
      throw new Problem(
          Problem.Kind.NOT_ACCEPTABLE,
          "Accept is '%s'; there is %s",
          String.join(", ", accept),
          offered.stream().map(type -> type.name).toList());
    }
    return best;
  }

  /** Returns the quality that the most specific range gives a type; 0 if none has it. */
  private static double quality(List<QualityValue> ranges, MediaType type) {
    String family = type.name.substring(0, type.name.indexOf('/')) + "/*";
    double quality = 0;
    int specificity = 0;
    for (QualityValue range : ranges) {
      String name = bare(range.getValue());
      int rank = name.equals(type.name) ? 3 : name.equals(family) ? 2 : name.equals("*/*") ? 1 : 0;
      if (rank > specificity) {
        specificity = rank;
        quality = range.getWeight();
      }
    }
    return quality;
  }
}
