package io.bsdb.benchmarks;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The results as one page without any other file: the chart library is part of it. */
final class HtmlReport {
  private static final String CHARTS = "/META-INF/resources/webjars/echarts/5.5.0/echarts.min.js";

  private HtmlReport() {}

  static String of(Results results) {
    return resource("report.html")
        .replace("/*STYLE*/", resource("report.css"))
        .replace("/*ENRICHMENT*/", resource("enrichment.js"))
        .replace("/*REPORT*/", resource("report.js"))
        .replace("/*CHARTS*/", script(resource(CHARTS)))
        .replace("/*RESULTS*/", script(json(results)));
  }

  private static String json(Results results) {
    try {
      return new ObjectMapper().writeValueAsString(results);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As it may stand within a script element, which ends at the first end tag, even in a text. */
  private static String script(String text) {
    return text.replace("</", "<\\/");
  }

  private static String resource(String name) {
    try (InputStream in = HtmlReport.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new FileNotFoundException("not on the class path: " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
