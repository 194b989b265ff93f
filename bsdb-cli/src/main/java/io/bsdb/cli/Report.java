package io.bsdb.cli;

import java.util.LinkedHashMap;
import java.util.Map;

/** Named figures for scripts, on one line. */
final class Report {
  private final Map<String, Object> figures = new LinkedHashMap<>();

  void add(String name, Object figure) {
    figures.put(name, figure);
  }

  /** As {@code name=figure} with spaces between, and a line end. */
  String line() {
    StringBuilder line = new StringBuilder();
    figures.forEach(
        (name, figure) ->
            line.append(line.isEmpty() ? "" : " ").append(name).append('=').append(figure));
    return line.append('\n').toString();
  }
}
