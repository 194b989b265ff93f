package io.bsdb.benchmarks.harness;

import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

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
     * Adds figures to a row.
     *
     * @param round below 0 if it does not count; then the row is dropped
     */
    void take(T contender, int round, Row row) throws E;
  }

  private Turns(List<T> contenders, List<Row> rows) {
    this.contenders = contenders;
    this.rows = rows;
  }

  /**
   * @param row makes the row for the figures of a contender; others are compared with the first
   */
  public Turns(List<T> contenders, Function<T, Row> row) {
    this(contenders, contenders.stream().map(row).toList());
  }

  /** Creates turns of contenders by name. */
  public static <T> Turns<T> of(Map<String, T> contenders) {
    return new Turns<>(
        List.copyOf(contenders.values()),
        contenders.keySet().stream().map(name -> new Row(name, "")).toList());
  }

  /** Creates turns of what is named in reports by its own name. */
  public static Turns<String> of(List<String> names) {
    return new Turns<>(names, name -> new Row(name, ""));
  }

  /** Measures all contenders in so many rounds, after untimed ones. */
  public <E extends Exception> void run(int untimed, int rounds, Turn<T, E> turn) throws E {
    for (int round = -untimed; round < rounds; round++) {
      for (int i = 0; i < contenders.size(); i++) {
        int which = Math.floorMod(i * (round % 2 == 0 ? 1 : -1) + round, contenders.size());
        Row row = round < 0 ? new Row("untimed", "") : rows.get(which);
        turn.take(contenders.get(which), round, row);
      }
    }
  }

  /** Returns the row of a contender. */
  public Row row(T contender) {
    return rows.get(contenders.indexOf(contender));
  }

  /** Returns the rows of all contenders. */
  public List<Row> rows() {
    return rows;
  }

  /** Returns all figures, each compared. */
  public Section section(String title) {
    return Section.of(title, rows);
  }

  /** Returns all figures, of which some are compared. */
  public Section section(String title, List<String> compared) {
    return Section.of(title, compared, rows);
  }
}
