package io.bsdb.benchmarks.kstreams;

import io.bsdb.benchmarks.Workload;
import io.bsdb.benchmarks.kstreams.StreamsRun.Outcome;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What came out at one record count.
 *
 * @param outcomes of each contender, one per round
 */
record StreamsReport(long records, long events, int rounds, Map<String, List<Outcome>> outcomes) {
  @SuppressWarnings("AnnotateFormatMethod") // the annotation is of a library not used here
  static void line(String format, Object... arguments) {
    System.out.println(String.format(Locale.ROOT, format, arguments));
  }

  void print() {
    line("");
    line(
        "%,d records of %d bytes, %,d events, medians of %d",
        records, Workload.KEY_LENGTH + Workload.VALUE_LENGTH, events, rounds);
    line("");
    line(
        "%-32s %9s %9s %11s %9s %12s %11s %9s",
        "", "open s", "first s", "results/s", "heap MiB", "private MiB", "mapped MiB", "disk MiB");
    outcomes.forEach(
        (name, rounds) ->
            line(
                "%-32s %9.2f %9.2f %,11.0f %,9.0f %,12.0f %,11.0f %,9.0f",
                name,
                median(rounds, Outcome::openSeconds),
                median(rounds, Outcome::firstResultSeconds),
                median(rounds, Outcome::resultsPerSecond),
                median(rounds, Outcome::maxHeapBytes) / (1 << 20),
                median(rounds, Outcome::privateBytes) / (1 << 20),
                median(rounds, Outcome::fileBytes) / (1 << 20),
                median(rounds, Outcome::diskBytes) / (1 << 20)));
    line("");
    line("%-32s %23s %23s", "SnapshotLookup beside", "first result", "results/s");
    List<Outcome> own = outcomes.getOrDefault(Contender.BSDB.description(), List.of());
    outcomes.forEach(
        (name, rounds) -> {
          if (rounds != own) {
            line(
                "%-32s %13.1f x as fast %13.1f x as many",
                name,
                median(rounds, Outcome::firstResultSeconds)
                    / median(own, Outcome::firstResultSeconds),
                median(own, Outcome::resultsPerSecond) / median(rounds, Outcome::resultsPerSecond));
          }
        });
  }

  private static double median(List<Outcome> outcomes, ToDoubleFunction<Outcome> measure) {
    double[] sorted = outcomes.stream().mapToDouble(measure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
