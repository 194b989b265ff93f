package io.bsdb.benchmarks;

import io.bsdb.benchmarks.Results.Series;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Events that are joined with a table within a stream processor, end to end.
 *
 * @param title what runs
 * @param records of the table
 * @param events of one round
 * @param reference name of the join that others are compared with
 * @param joins in the order of reports
 * @param leftOut joins that could not run, with the reason
 */
public record Enrichment(
    String title,
    long records,
    long events,
    String reference,
    List<Join> joins,
    List<String> leftOut) {
  /** What every join is measured by. */
  public static final String MICROS = "µs per event";

  /**
   * One way to join.
   *
   * @param measures the rounds of each, by name and unit
   * @param ratios to the reference, of those that are compared: the medians of rounds
   */
  public record Join(
      String name, String configuration, Map<String, Series> measures, Map<String, Double> ratios) {

    /** One that has not been compared yet. */
    public Join(String name, String configuration, Map<String, Series> measures) {
      this(name, configuration, measures, Map.of());
    }

    private Join against(Join reference, String... compared) {
      Map<String, Double> found = new LinkedHashMap<>();
      for (String measure : compared) {
        Series own = measures.get(measure);
        Series other = reference.measures.get(measure);
        if (own != null && other != null) {
          found.put(measure, medianRatio(own, other));
        }
      }
      return new Join(name, configuration, measures, found);
    }
  }

  /** The same with all joins compared with the reference, if that is there. */
  public Enrichment compared(String... measures) {
    List<Join> compared =
        joins.stream()
            .filter(join -> join.name().equals(reference))
            .findFirst()
            .map(base -> joins.stream().map(join -> join.against(base, measures)).toList())
            .orElse(joins);
    return new Enrichment(title, records, events, reference, compared, leftOut);
  }

  /** Each round is compared with the same round of the other. */
  private static double medianRatio(Series own, Series other) {
    double[] ratios = new double[Math.min(own.rounds().size(), other.rounds().size())];
    Arrays.setAll(ratios, round -> own.rounds().get(round) / other.rounds().get(round));
    return Series.of(ratios).median();
  }
}
