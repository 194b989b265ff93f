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
     * Adds figures to a row.
     *
     * @param round below 0 if it does not count; then the row is dropped
     */
    void take(T contender, int round, Row row) throws E;
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
   * @param rows for the figures of the contenders
   */
  public Turns(List<Row> rows, List<T> contenders) {
    this.rows = rows;
    this.contenders = contenders;
  }

  /** Creates turns of what is named in reports by its own name. */
  public static Turns<String> of(List<String> names) {
    return new Turns<>(names.stream().map(name -> new Row(name, "")).toList(), names);
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
