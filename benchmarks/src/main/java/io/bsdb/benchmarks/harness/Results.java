package io.bsdb.benchmarks.harness;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.DoubleBinaryOperator;
import org.apache.commons.math3.stat.descriptive.rank.Median;

/**
 * Everything that one run measured: the contents of the JSON file.
 *
 * @param machine facts of hardware and software
 * @param parameters of the run
 */
public record Results(
    Map<String, String> machine, Map<String, String> parameters, List<Section> sections) {
  private static final String JSON = "results.json";

  /**
   * One table of figures, whose rows are compared with the first.
   *
   * @param notes on how it was measured, and what was left out
   * @param compared measures to show as ratios
   */
  public record Section(String title, List<String> notes, List<String> compared, List<Row> rows) {
    /** Returns figures without notes, all of them compared. */
    public static Section of(String title, Collection<Row> rows) {
      return of(title, List.copyOf(rows.iterator().next().measures().keySet()), rows);
    }

    /** Returns figures without notes. */
    public static Section of(String title, List<String> compared, Collection<Row> rows) {
      return new Section(title, List.of(), List.copyOf(compared), List.copyOf(rows));
    }
  }

  /** A store, a way to read, or a join, with the rounds of its measures by name and unit. */
  public record Row(String name, String configuration, Map<String, List<Double>> measures) {
    /** Creates a row to add measures to. */
    public Row(String name, String configuration) {
      this(name, configuration, new LinkedHashMap<>());
    }

    /** Creates a row without a configuration. */
    public Row(String name) {
      this(name, "");
    }

    /** Adds rounds of a measure. */
    public void add(String measure, double... rounds) {
      List<Double> all = measures.computeIfAbsent(measure, name -> new ArrayList<>());
      Arrays.stream(rounds).forEach(all::add);
    }

    /** Adds a measure in relation to that of another row: a figure of each round. */
    public void relate(String name, String measure, Row base, DoubleBinaryOperator relation) {
      List<Double> own = measures.getOrDefault(measure, List.of());
      List<Double> others = base.measures.getOrDefault(measure, List.of());
      for (int i = 0; i < own.size(); i++) {
        add(name, relation.applyAsDouble(own.get(i), others.get(i)));
      }
    }

    /** Returns the median, or NaN if this was not measured. */
    public double median(String measure) {
      List<Double> rounds = measures.getOrDefault(measure, List.of());
      return new Median().evaluate(rounds.stream().mapToDouble(round -> round).toArray());
    }
  }

  /** Writes the JSON file into a directory. */
  public void write(Path directory) throws IOException {
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(directory.resolve(JSON).toFile(), this);
  }

  /** Prints all, and where it was written to. */
  public void print(Path directory) {
    System.out.print(text());
    System.out.printf(Locale.ROOT, "%nWritten to %s%n", directory.toAbsolutePath().resolve(JSON));
  }

  /** Formats tables, ratios first. */
  public String text() {
    Text text = new Text(new StringBuilder(8192));
    machine.forEach((name, value) -> text.line("%-22s %s", name, value));
    parameters.forEach((name, value) -> text.line("%-22s %s", name, value));
    Map<String, String> configurations = new LinkedHashMap<>();
    for (Section section : sections) {
      text.section(section);
      for (Row row : section.rows) {
        configurations.merge(row.name, row.configuration, (old, same) -> old);
      }
    }
    text.line("%nConfiguration");
    configurations.values().removeIf(String::isEmpty);
    configurations.forEach((name, value) -> text.line("  %-24s %s", name, value));
    return text.lines.toString();
  }

  private record Text(StringBuilder lines) {
    @SuppressWarnings("AnnotateFormatMethod") // the annotation is of a library not used here
    private void line(String format, Object... arguments) {
      lines.append(format.formatted(arguments).stripTrailing()).append('\n');
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
      return " ".repeat(Math.max(1, Math.max(12, column.length() + 2) - content.length()))
          + content;
    }

    private static String digits(double median) {
      double size = Math.abs(median);
      return (size >= 100 ? "%,.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.4f")
          .formatted(median);
    }
  }
}
