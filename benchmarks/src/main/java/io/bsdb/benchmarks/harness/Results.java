package io.bsdb.benchmarks.harness;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Everything that one run measured: the contents of the JSON file.
 *
 * @param machine facts of hardware and software
 * @param parameters of the run
 */
public record Results(
    Map<String, String> machine, Map<String, String> parameters, List<Section> sections) {

  /**
   * One table of figures, whose rows are compared with the first.
   *
   * @param notes on how it was measured, and what was left out
   * @param compared measures to show as ratios
   */
  public record Section(String title, List<String> notes, List<String> compared, List<Row> rows) {
    /** Returns figures without notes. */
    public static Section of(String title, List<String> compared, Collection<Row> rows) {
      return new Section(title, List.of(), List.copyOf(compared), List.copyOf(rows));
    }
  }

  /** A store, a way to read, or a join, with its measures by name and unit. */
  public record Row(String name, String configuration, Map<String, Series> measures) {
    /** Creates a row to add measures to. */
    public Row(String name, String configuration) {
      this(name, configuration, new LinkedHashMap<>());
    }

    /** Adds rounds of a measure. */
    public void add(String measure, double... rounds) {
      List<Double> all = new ArrayList<>();
      Series before = measures.get(measure);
      if (before != null) {
        all.addAll(before.rounds);
      }
      Arrays.stream(rounds).forEach(all::add);
      measures.put(measure, Series.of(all));
    }

    /** Returns the median, or NaN if this was not measured. */
    public double median(String measure) {
      Series series = measures.get(measure);
      return series == null ? Double.NaN : series.median;
    }
  }

  /** The rounds of one measurement. */
  public record Series(double median, List<Double> rounds) {
    static Series of(List<Double> rounds) {
      List<Double> sorted = rounds.stream().sorted().toList();
      int middle = sorted.size() / 2;
      double upper = sorted.get(middle);
      return new Series(
          sorted.size() % 2 == 1 ? upper : (sorted.get(middle - 1) + upper) / 2, rounds);
    }
  }
}
