package io.bsdb.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.benchmarks.Enrichment.Join;
import io.bsdb.benchmarks.Results.Series;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EnrichmentTest {
  private static Join join(String name, double... micros) {
    Map<String, Series> measures = new LinkedHashMap<>();
    measures.put(Enrichment.MICROS, Series.of(micros));
    measures.put("disk, MiB", Series.of(new double[] {1500}));
    return new Join(name, "settings of " + name, measures);
  }

  private static Enrichment enrichment(String reference) {
    return new Enrichment(
            "Join in X",
            1_000_000,
            5000,
            reference,
            List.of(join("slow", 4, 20, 6), join("own", 2, 4, 6)),
            List.of("heap: too large"))
        .compared(Enrichment.MICROS);
  }

  private static Results results(Enrichment enrichment) {
    return new Results(
        Map.of("date", "2000-01-01"), Map.of(), List.of(), List.of(), List.of(enrichment));
  }

  @Test
  void comparesRoundByRound() {
    List<Join> joins = enrichment("own").joins();

    assertThat(joins.get(0).ratios()).containsExactly(Map.entry(Enrichment.MICROS, 2.0));
    assertThat(joins.get(1).ratios()).containsExactly(Map.entry(Enrichment.MICROS, 1.0));
    assertThat(enrichment("not there").joins()).allMatch(join -> join.ratios().isEmpty());
  }

  @Test
  void standsAloneInEveryReport(@TempDir Path directory) throws Exception {
    Results results = results(enrichment("own"));

    Reports.write(results, directory);

    assertThat(Reports.read(directory)).isEqualTo(results);
    assertThat(directory.resolve("report.html"))
        .content()
        .contains("Join in X")
        .doesNotContainPattern("/\\*[A-Z]+\\*/");
    assertThat(TextReport.of(results))
        .contains("== Join in X: 1,000,000 records, 5,000 events")
        .contains("left out: heap: too large")
        .containsPattern("Times that of own[^\n]*\n +µs per event\n +slow +2.00x\n +own +1.00x")
        .containsPattern("slow +6.000 +1,500");
  }

  @Test
  void showsJoinsThatNothingIsComparedWith() {
    assertThat(TextReport.of(results(enrichment("not there"))))
        .doesNotContain("Times that of")
        .containsPattern("slow +6.000 +1,500");
  }
}
