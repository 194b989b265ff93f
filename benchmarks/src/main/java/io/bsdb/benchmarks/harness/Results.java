package io.bsdb.benchmarks.harness;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.DoubleBinaryOperator;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.IntStream;
import org.apache.commons.math3.stat.descriptive.rank.Median;

/**
 * Everything that one run measured: the contents of the JSON file.
 *
 * @param facts about the run and the machine
 */
public record Results(Map<String, String> facts, List<Section> sections) {
  private static final String JSON = "results.json";
  private static final Median MEDIAN = new Median();

  /**
   * One table of figures, whose rows are compared with the first.
   *
   * @param notes on how it was measured, and what was left out
   */
  public record Section(String title, List<String> notes, List<Row> rows) {
    public Section(String title, List<Row> rows) {
      this(title, List.of(), rows);
    }
  }

  /** A store, a way to read, or a join, with the rounds of its measures by name and unit. */
  public record Row(String name, String configuration, Map<String, List<Double>> measures) {
    public Row(String name, String configuration) {
      this(name, configuration, new LinkedHashMap<>());
    }

    public Row(String name) {
      this(name, "");
    }

    public void add(String measure, double... rounds) {
      List<Double> all = measures.computeIfAbsent(measure, name -> new ArrayList<>());
      Arrays.stream(rounds).forEach(all::add);
    }

    private List<Double> rounds(String measure) {
      return measures.getOrDefault(measure, List.of());
    }

    /** Returns the median, or NaN if this was not measured. */
    public double median(String measure) {
      return MEDIAN.evaluate(rounds(measure).stream().mapToDouble(round -> round).toArray());
    }

    /** Returns the median of a relation to another row in the same round, or NaN. */
    public double median(String measure, Row base, DoubleBinaryOperator relation) {
      List<Double> own = rounds(measure);
      List<Double> others = base.rounds(measure);
      return MEDIAN.evaluate(
          IntStream.range(0, Math.min(own.size(), others.size()))
              .mapToDouble(i -> relation.applyAsDouble(own.get(i), others.get(i)))
              .toArray());
    }
  }

  public void write(Path directory) throws IOException {
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(directory.resolve(JSON).toFile(), this);
  }

  public void print(Path directory) {
    System.out.println(text() + "\nWritten to " + directory.resolve(JSON));
  }

  /** Formats tables, ratios first. */
  public String text() {
    StringBuilder text = new StringBuilder();
    facts.forEach((name, value) -> text.append("%-22s %s%n".formatted(name, value)));
    Map<String, String> configurations = new LinkedHashMap<>();
    for (Section section : sections) {
      text.append("%n== %s%n".formatted(section.title));
      section.notes.forEach(note -> text.append("   %s%n".formatted(note)));
      List<Row> rows = section.rows;
      if (rows.size() > 1) {
        Row base = rows.get(0);
        String title = "Times the figure of %s, medians of rounds".formatted(base.name);
        ToDoubleBiFunction<Row, String> ratio =
            (row, measure) -> row.median(measure, base, (own, other) -> own / other);
        text.append(table(title, rows, ratio, "x"));
      }
      text.append(table("Medians", rows, Row::median, ""));
      rows.forEach(row -> configurations.putIfAbsent(row.name, row.configuration));
    }
    configurations.values().removeIf(String::isEmpty);
    text.append(configurations.isEmpty() ? "" : "%nConfiguration%n".formatted());
    configurations.forEach((name, value) -> text.append("  %-24s %s%n".formatted(name, value)));
    return text.toString();
  }

  private static String table(
      String title, List<Row> rows, ToDoubleBiFunction<Row, String> figure, String unit) {
    Set<String> columns = new LinkedHashSet<>();
    rows.forEach(row -> columns.addAll(row.measures.keySet()));
    int width = rows.stream().mapToInt(row -> row.name.length()).max().orElse(0) + 2;
    StringBuilder table = new StringBuilder("%n%s%n".formatted(title));
    table.append(" ".repeat(width + 2));
    columns.forEach(column -> table.append(cell(column, column)));
    for (Row row : rows) {
      table.append(("%n  %-" + width + "s").formatted(row.name));
      for (String column : columns) {
        double value = figure.applyAsDouble(row, column);
        table.append(cell(column, Double.isFinite(value) ? digits(value) + unit : ""));
      }
    }
    return table.append('\n').toString();
  }

  private static String cell(String column, String content) {
    return ("%" + Math.max(12, column.length() + 2) + "s").formatted(content);
  }

  private static String digits(double figure) {
    double size = Math.abs(figure);
    return (size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.4f")
        .formatted(figure);
  }
}
