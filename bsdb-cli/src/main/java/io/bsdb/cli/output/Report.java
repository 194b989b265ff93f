package io.bsdb.cli.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Named figures. */
public final class Report {
  private final Map<String, @Nullable Object> figures = new LinkedHashMap<>();

  /** Adds a figure: a number, a text, a list or a map. */
  public Report add(String name, @Nullable Object figure) {
    figures.put(name, figure);
    return this;
  }

  /** Adds figures by name. */
  public Report addAll(Map<String, ? extends @Nullable Object> all) {
    figures.putAll(all);
    return this;
  }

  /** Returns the figures, for lists of reports. */
  public Map<String, @Nullable Object> asMap() {
    return figures;
  }

  /** Returns {@code name=figure} with spaces between, and a line end. */
  public String line() {
    return figures.entrySet().stream()
        .map(figure -> figure.getKey() + "=" + figure.getValue())
        .collect(Collectors.joining(" ", "", "\n"));
  }

  /** Joins texts, each on a line of its own. */
  public static String lines(List<String> texts) {
    return texts.stream().map(text -> text + "\n").collect(Collectors.joining());
  }

  /** Returns a JSON object on one line, and a line end. */
  public String json() {
    return json(figures);
  }

  public static String json(Object value) {
    try {
      return new ObjectMapper().writeValueAsString(value) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("figures cannot be written as JSON", e);
    }
  }
}
