package io.bsdb.benchmarks.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResultsTest {
  private static Row row(String name, double... nanos) {
    Row row = new Row(name, "settings of " + name);
    row.add("get", nanos);
    row.add("size", 1500);
    return row;
  }

  private static Section section(Row... rows) {
    return new Section("Lookups of X", List.of("left out: heap: too large"), List.of(rows));
  }

  private static Results results(Section... sections) {
    return new Results(Map.of("command", "run"), List.of(sections));
  }

  @Test
  void showsMediansAndRatiosOfTheSameRound() {
    String text = results(section(row("own", 2, 4, 9), row("slow", 4, 20, 6))).text();

    assertThat(text)
        .contains("== Lookups of X\n   left out: heap: too large\n")
        .containsPattern("Times the figure of own.*\n +get +size\n +own +1.00x +1.00x\n")
        .containsPattern("\n +slow +2.00x +1.00x\n")
        .containsPattern("Medians\n +get +size\n +own +4.00 +1,500\n +slow +6.00 +1,500\n")
        .containsPattern("slow +settings of slow");
  }

  @Test
  void leavesCellsEmpty() {
    Row other = new Row("other");
    other.add("size", 750);

    String text = results(section(row("slow", 6), other)).text();

    assertThat(text)
        .containsPattern(" +slow +1.00x +1.00x\n +other {15,}0.5000x\n")
        .containsPattern(" +slow +6.00 +1,500\n +other {15,}750\n")
        .doesNotContain("NaN");
  }

  @Test
  void takesTheMedianOfTwo() {
    assertThat(row("two", 2, 5).median("get")).isEqualTo(3.5);
  }
}
