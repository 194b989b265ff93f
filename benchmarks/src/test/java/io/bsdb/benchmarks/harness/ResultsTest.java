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
    return new Section(
        "Lookups of X", List.of("left out: heap: too large"), List.of("get"), List.of(rows));
  }

  private static Results results(Section... sections) {
    return new Results(Map.of("date", "2000-01-01"), Map.of("command", "run"), List.of(sections));
  }

  @Test
  void comparesMedians() {
    String text = results(section(row("own", 2, 4), row("slow", 4, 20, 6))).text();

    assertThat(text)
        .contains("== Lookups of X\n   left out: heap: too large\n")
        .containsPattern("Times the figure of own\n +get\n +own +1.00x\n +slow +2.00x")
        .containsPattern("Medians\n +get +size\n +own +3.00 +1,500\n +slow +6.00 +1,500")
        .containsPattern("slow +settings of slow");
  }

  @Test
  void leavesCellsEmpty() {
    Row other = new Row("other", "");
    other.add("size", 7);

    String text = results(section(row("slow", 6), other)).text();

    assertThat(text)
        .containsPattern("Times the figure of slow\n +get\n +slow +1.00x\n +other\n")
        .containsPattern("slow +6.00 +1,500\n +other +7.00\n")
        .doesNotContain("NaN");
  }

  @Test
  void relatesFiguresOfTheSameRound() {
    Row own = row("own", 2, 4, 9);

    own.relate("times other", "get", row("other", 1, 4, 3), (figure, base) -> figure / base);

    assertThat(own.measures().get("times other")).containsExactly(2.0, 1.0, 3.0);
    assertThat(own.median("times other")).isEqualTo(2);
    assertThat(row("two", 2, 5).median("get")).isEqualTo(3.5);
  }
}
