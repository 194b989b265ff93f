package io.bsdb.benchmarks.harness;

import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import java.util.List;
import java.util.function.Function;

/**
 * Contenders that take turns, in another order in each round: none always follows the one that
 * cools the caches most, and a disturbance of the machine meets all alike.
 *
 * @param rows for the figures of each contender; others are compared with the first
 * @param untimed number of rounds that do not count, before the others
 */
public record Turns<T>(List<T> contenders, List<Row> rows, int untimed, int rounds) {
  public interface Turn<T> {
    /**
     * Adds figures to a row.
     *
     * @param round below 0 if it does not count; then the row is dropped
     */
    void take(T contender, int round, Row row) throws Exception;
  }

  /**
   * @param row makes the row of a contender
   */
  public Turns(List<T> contenders, Function<T, Row> row, int untimed, int rounds) {
    this(contenders, contenders.stream().map(row).toList(), untimed, rounds);
  }

  public Turns<T> run(Turn<T> turn) throws Exception {
    for (int round = -untimed; round < rounds; round++) {
      for (int i = 0; i < contenders.size(); i++) {
        int which = Math.floorMod(i * (round % 2 == 0 ? 1 : -1) + round, contenders.size());
        Row row = round < 0 ? new Row("untimed") : rows.get(which);
        turn.take(contenders.get(which), round, row);
      }
    }
    return this;
  }

  public Section section(String title) {
    return new Section(title, rows);
  }
}
