package io.bsdb.benchmarks.harness;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
}
