package io.bsdb.benchmarks.kstreams;

import io.bsdb.benchmarks.Enrichment;
import io.bsdb.benchmarks.Enrichment.Join;
import io.bsdb.benchmarks.Results.Series;
import io.bsdb.benchmarks.kstreams.StreamsRun.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What came out at one record count.
 *
 * @param outcomes of each way to start a contender, one per round
 */
record StreamsReport(long records, long events, Map<Start, List<Outcome>> outcomes) {
  /** A contender, and what its report says of this way to start it. */
  record Start(Contender contender, String name) {}

  private static final String FIRST_RESULT = "first result, s";

  Enrichment enrichment() {
    List<Join> joins = new ArrayList<>();
    outcomes.forEach(
        (start, rounds) ->
            joins.add(
                new Join(start.name, start.contender.configuration(records), measures(rounds))));
    return new Enrichment(
            "Join in Kafka Streams",
            records,
            events,
            Contender.BSDB.description(),
            joins,
            List.of())
        .compared(FIRST_RESULT, Enrichment.MICROS);
  }

  private static Map<String, Series> measures(List<Outcome> rounds) {
    Map<String, Series> measures = new LinkedHashMap<>();
    measures.put(Enrichment.MICROS, series(rounds, outcome -> 1e6 / outcome.resultsPerSecond()));
    measures.put(FIRST_RESULT, series(rounds, Outcome::firstResultSeconds));
    measures.put("results/s", series(rounds, Outcome::resultsPerSecond));
    measures.put("open, s", series(rounds, Outcome::openSeconds));
    measures.put("heap, MiB", mebibytes(rounds, Outcome::maxHeapBytes));
    measures.put("private, MiB", mebibytes(rounds, Outcome::privateBytes));
    measures.put("mapped, MiB", mebibytes(rounds, Outcome::fileBytes));
    measures.put("disk, MiB", mebibytes(rounds, Outcome::diskBytes));
    return measures;
  }

  private static Series mebibytes(List<Outcome> rounds, ToDoubleFunction<Outcome> bytes) {
    return series(rounds, outcome -> bytes.applyAsDouble(outcome) / (1 << 20));
  }

  private static Series series(List<Outcome> rounds, ToDoubleFunction<Outcome> measure) {
    return Series.of(rounds.stream().mapToDouble(measure).toArray());
  }
}
