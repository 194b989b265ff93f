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

  public Results with(List<Section> more) {
    List<Section> all = new ArrayList<>(sections);
    all.addAll(more);
    return new Results(machine, parameters, List.copyOf(all));
  }

  /** Returns {@code get} of every store by number of records, if there are several numbers. */
  public List<Section> growth() {
    Map<String, Row> rows = new LinkedHashMap<>();
    List<Section> lookups = sections.stream().filter(each -> each.kind.equals("lookups")).toList();
    for (Section section : lookups) {
      for (Row row : section.rows) {
        rows.computeIfAbsent(row.name, name -> new Row(name, row.configuration))
            .add("%,d".formatted(section.records), row.median(Measure.GET));
      }
    }
    return lookups.size() < 2
        ? List.of()
        : List.of(
            new Section(
                "growth",
                "Growth of get with the number of records, ns",
                lookups.get(0).records,
                List.of(),
                "",
                List.of(),
                List.copyOf(rows.values())));
  }

  /**
   * One table of figures.
   *
   * @param kind of the figures
   * @param notes on how it was measured, and what was left out
   * @param reference name of the row that others are compared with
   * @param compared measures to show as ratios to the reference
   */
  public record Section(
      String kind,
      String title,
      long records,
      List<String> notes,
      String reference,
      List<String> compared,
      List<Row> rows) {

    /** Returns figures whose rows are compared with the first. */
    public static Section of(String title, List<String> compared, Collection<Row> rows) {
      return new Section(
          "comparison", title, 0, List.of(), "", List.copyOf(compared), List.copyOf(rows));
    }

    /**
     * Returns the row that others are compared with: the first one if the reference is not there.
     */
    public Row base() {
      return rows.stream()
          .filter(row -> row.name.equals(reference))
          .findFirst()
          .orElse(rows.get(0));
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
