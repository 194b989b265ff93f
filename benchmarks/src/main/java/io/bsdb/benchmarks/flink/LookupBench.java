package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.peers.Peers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Runs one query with different lookups, in turn, in one slot, and reports the wall time per event.
 * Differences count: the time of the source, the sink and Flink itself is in all.
 */
public final class LookupBench {
  static final String MICROS = "µs per event";
  static final String OVER_CONSTANT = "µs over constant";
  private static final String NEW_VERSIONS = "new versions";

  private final LookupJob job;
  private final List<Variant> variants;
  private final List<String> notes = new ArrayList<>();

  /** Returns the names of all lookups. */
  public static List<String> names() {
    return Arrays.stream(Variant.values()).map(Variant::word).toList();
  }

  private LookupBench(LookupJob job, List<String> words) {
    this.job = job;
    List<Variant> all = List.of(Variant.values());
    List<Variant> chosen = Peers.choose(all, Variant::word, words);
    this.variants = (chosen.isEmpty() ? all : chosen).stream().filter(this::fits).toList();
  }

  /**
   * Arguments: directory, rows, events, events past the page cache, rounds, names or parts of names
   * of lookups with commas between, file for the answer.
   */
  public static void main(String[] arguments) throws Exception {
    long rows = Long.parseLong(arguments[1]);
    List<String> words =
        Arrays.stream(arguments[5].split(",", -1)).filter(word -> !word.isEmpty()).toList();
    LookupBench bench =
        new LookupBench(new LookupJob(Path.of(arguments[0]).resolve("table-" + rows), rows), words);
    JavaProcess.answer(
        arguments,
        bench.run(
            Long.parseLong(arguments[2]),
            Long.parseLong(arguments[3]),
            Integer.parseInt(arguments[4])));
  }

  private boolean fits(Variant variant) {
    long needed = HeapTableFactory.heapBytes(job.rows());
    long maximum = Runtime.getRuntime().maxMemory();
    if (variant != Variant.HASHMAP || needed <= maximum) {
      return true;
    }
    notes.add(
        "left out: %s: its heap would need %,d MiB, and BENCH_HEAP allows %,d"
            .formatted(variant.label(), needed >> 20, maximum >> 20));
    return false;
  }

  private List<Section> run(long events, long diskEvents, int rounds) throws Exception {
    Progress.step("build the table: %,d rows", job.rows());
    job.build();
    Map<Variant, Row> rows = new EnumMap<>(Variant.class);
    variants.forEach(each -> rows.put(each, new Row(each.label(), job.options(each))));
    // The first round warms up.
    for (int round = -1; round < rounds; round++) {
      Map<Variant, Double> micros = new EnumMap<>(Variant.class);
      for (Variant variant : variants) {
        long count = variant.waitsForDisk() ? diskEvents : events;
        LookupJob.Took took = job.run(variant, count);
        double perEvent = took.nanos() / 1e3 / count;
        Progress.step("round %d of %d: %s, %.3f µs", round + 1, rounds, variant.word(), perEvent);
        micros.put(variant, perEvent);
        if (round >= 0 && variant == Variant.BSDB_REFRESHED) {
          Objects.requireNonNull(rows.get(variant)).add(NEW_VERSIONS, took.newVersions());
        }
      }
      if (round >= 0) {
        rows.forEach((variant, row) -> add(row, variant, micros));
      }
    }
    List<Section> sections = new ArrayList<>();
    sections.add(section("", events, false, rows));
    sections.add(section(" past the page cache", diskEvents, true, rows));
    sections.removeIf(section -> section.rows().isEmpty());
    return sections;
  }

  private static void add(Row row, Variant variant, Map<Variant, Double> micros) {
    double own = micros.getOrDefault(variant, Double.NaN);
    row.add(MICROS, own);
    Double constant = micros.get(Variant.CONSTANT);
    if (constant != null && !variant.waitsForDisk()) {
      row.add(OVER_CONSTANT, own - constant);
    }
  }

  private Section section(String where, long events, boolean fromDisk, Map<Variant, Row> rows) {
    return new Section(
        "Lookup join in Flink%s: %,d records, %,d events".formatted(where, job.rows(), events),
        notes,
        List.of(MICROS),
        rows.entrySet().stream()
            .filter(each -> each.getKey().waitsForDisk() == fromDisk)
            .map(Map.Entry::getValue)
            .toList());
  }
}
