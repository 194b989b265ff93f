package io.bsdb.benchmarks.harness;

import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import java.util.List;
import java.util.Map;

/**
 * Contenders that take turns, in another order in each round: none always follows the one that
 * cools the caches most, and a disturbance of the machine meets all alike.
 */
public final class Turns<T> {
  private final List<T> contenders;
  private final List<Row> rows;

  /** Measures one contender. */
  public interface Turn<T, E extends Exception> {
    /**
     * Returns a figure.
     *
     * @param round below 0 if it does not count
     */
    double measure(T contender, int round) throws E;
  }

  /** An operation that is timed. */
  public interface Operation<T, E extends Exception> {
    /** Returns how many times it was done. */
    int run(T contender) throws E;
  }

  /**
   * @param contenders by name; others are compared with the first
   */
  public Turns(Map<String, T> contenders) {
    this(
        contenders.keySet().stream().map(name -> new Row(name, "")).toList(),
        List.copyOf(contenders.values()));
  }

  /**
   * @param rows for the figures of the contenders; none to keep no figures
   */
  public Turns(List<Row> rows, List<T> contenders) {
    this.rows = rows;
    this.contenders = contenders;
  }

  /** Measures a figure of all contenders. */
  public <E extends Exception> void measure(String figure, int untimed, int rounds, Turn<T, E> turn)
      throws E {
    for (int round = -untimed; round < rounds; round++) {
      for (int i = 0; i < contenders.size(); i++) {
        int which = Math.floorMod(i * (round % 2 == 0 ? 1 : -1) + round, contenders.size());
        double value = turn.measure(contenders.get(which), round);
        if (round >= 0 && !rows.isEmpty()) {
          rows.get(which).add(figure, value);
        }
      }
    }
  }

  /** Measures the nanoseconds that an operation takes, after one round that does not count. */
  public <E extends Exception> void time(String figure, int rounds, Operation<T, E> operation)
      throws E {
    measure(
        figure,
        1,
        rounds,
        (contender, round) -> {
          long start = System.nanoTime();
          int count = operation.run(contender);
          return (System.nanoTime() - start) / (double) count;
        });
  }

  /** Returns the row of a contender, for further figures. */
  public Row row(String name) {
    return rows.stream().filter(row -> row.name().equals(name)).findFirst().orElseThrow();
  }

  /** Returns all figures. */
  public Section section(String title, List<String> compared) {
    return Section.of(title, compared, rows);
  }
}
