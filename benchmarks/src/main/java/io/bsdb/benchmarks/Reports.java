package io.bsdb.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.bsdb.benchmarks.harness.Results;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;

/** Results as a JSON file and as text. */
final class Reports {
  private static final String JSON = "results.json";

  private final StringBuilder text = new StringBuilder(8192);

  private Reports() {}

  /** Writes the file. */
  static void write(Results results, Path directory) throws IOException {
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(directory.resolve(JSON).toFile(), results);
  }

  /** Prints results, and where they were written to. */
  static void print(Results results, Path directory) {
    System.out.print(text(results));
    System.out.printf(Locale.ROOT, "%nWritten to %s%n", directory.toAbsolutePath().resolve(JSON));
  }

  /** Formats tables, ratios first. */
  static String text(Results results) {
    Reports report = new Reports();
    results.machine().forEach((name, value) -> report.line("%-22s %s", name, value));
    results.parameters().forEach((name, value) -> report.line("%-22s %s", name, value));
    Map<String, String> configurations = new LinkedHashMap<>();
    for (Section section : results.sections()) {
      report.section(section);
      for (Row row : section.rows()) {
        configurations.merge(row.name(), row.configuration(), (old, same) -> old);
      }
    }
    report.line("%nConfiguration");
    configurations.values().removeIf(String::isEmpty);
    configurations.forEach((name, value) -> report.line("  %-24s %s", name, value));
    return report.text.toString();
  }

  @SuppressWarnings("AnnotateFormatMethod") // the annotation is of a library not used here
  private void line(String format, Object... arguments) {
    text.append(format.formatted(arguments).stripTrailing()).append('\n');
  }

  private void section(Section section) {
    line("%n== %s", section.title());
    section.notes().forEach(note -> line("   %s", note));
    if (section.rows().isEmpty()) {
      return;
    }
    Set<String> measures = new LinkedHashSet<>();
    section.rows().forEach(row -> measures.addAll(row.measures().keySet()));
    Row base = section.rows().get(0);
    if (section.rows().size() > 1 && !section.compared().isEmpty()) {
      table(
          "Times the figure of " + base.name(),
          section.compared(),
          section.rows(),
          (row, measure) -> "%.2fx".formatted(row.median(measure) / base.median(measure)));
    }
    table("Medians", measures, section.rows(), (row, measure) -> digits(row.median(measure)));
  }

  private void table(
      String title,
      Collection<String> columns,
      List<Row> rows,
      BiFunction<Row, String, String> value) {
    int width = rows.stream().mapToInt(row -> row.name().length()).max().orElse(0) + 2;
    StringBuilder header = new StringBuilder(" ".repeat(width));
    columns.forEach(column -> header.append(cell(column, column)));
    line("%n%s%n  %s", title, header);
    for (Row row : rows) {
      StringBuilder cells = new StringBuilder(row.name());
      cells.append(" ".repeat(width - row.name().length()));
      for (String column : columns) {
        String content = value.apply(row, column);
        cells.append(cell(column, content.contains("NaN") ? "" : content));
      }
      line("  %s", cells);
    }
  }

  private static String cell(String column, String content) {
    return " ".repeat(Math.max(1, Math.max(12, column.length() + 2) - content.length())) + content;
  }

  private static String digits(double median) {
    double size = Math.abs(median);
    return (size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.4f")
        .formatted(median);
  }
}
