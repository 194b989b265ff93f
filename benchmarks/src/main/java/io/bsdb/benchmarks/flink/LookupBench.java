package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.peers.Peers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * Runs one query with different lookups, in turn, in one slot, and reports the wall time per event.
 * Differences count: the time of the source, the sink and Flink itself is in all.
 *
 * @param rows of the table
 * @param diskEvents events past the page cache
 * @param words names or parts of names of lookups; none for all
 */
public record LookupBench(
    Path directory, long rows, long events, long diskEvents, int rounds, List<String> words)
    implements Callable<List<Section>> {
  static final String MICROS = "µs per event";
  static final String OVER_CONSTANT = "µs over constant";

  /** Returns the names of all lookups. */
  public static List<String> names() {
    return Arrays.stream(Variant.values()).map(Variant::word).toList();
  }

  private List<Variant> variants(List<String> notes) {
    List<Variant> all = List.of(Variant.values());
    List<Variant> chosen = Peers.choose(all, Variant::word, words);
    List<Variant> variants = new ArrayList<>(chosen.isEmpty() ? all : chosen);
    long needed = HeapTableFactory.heapBytes(rows);
    long maximum = Runtime.getRuntime().maxMemory();
    if (needed > maximum && variants.remove(Variant.HASHMAP)) {
      notes.add(
          "left out: %s: its heap would need %,d MiB, and BENCH_HEAP allows %,d"
              .formatted(Variant.HASHMAP.label(), needed >> 20, maximum >> 20));
    }
    return variants;
  }

  @Override
  public List<Section> call() throws Exception {
    LookupJob job = new LookupJob(directory.resolve("table-" + rows), rows);
    Progress.step("build the table: %,d rows", rows);
    job.build();
    List<String> notes = new ArrayList<>();
    List<Variant> variants = variants(notes);
    Turns<Variant> turns = new Turns<>(variants, each -> new Row(each.label(), job.options(each)));
    // The first round warms up.
    turns.run(
        1,
        rounds,
        (variant, round, row) -> {
          long count = variant.waitsForDisk() ? diskEvents : events;
          double micros = job.run(variant, count, row) * 1e6 / count;
          row.add(MICROS, micros);
          Progress.step("round %d of %d: %s, %.3f µs", round + 1, rounds, variant, micros);
        });
    for (Variant variant : variants) {
      if (variants.contains(Variant.CONSTANT) && !variant.waitsForDisk()) {
        Row constant = turns.row(Variant.CONSTANT);
        turns.row(variant).relate(OVER_CONSTANT, MICROS, constant, (own, least) -> own - least);
      }
    }
    List<Section> sections = new ArrayList<>();
    for (boolean fromDisk : new boolean[] {false, true}) {
      List<Row> some =
          variants.stream()
              .filter(variant -> variant.waitsForDisk() == fromDisk)
              .map(turns::row)
              .toList();
      if (!some.isEmpty()) {
        sections.add(section(fromDisk, notes, some));
      }
    }
    return sections;
  }

  private Section section(boolean fromDisk, List<String> notes, List<Row> figures) {
    String title =
        "Lookup join in Flink%s: %,d records, %,d events"
            .formatted(
                fromDisk ? " past the page cache" : "", rows, fromDisk ? diskEvents : events);
    return new Section(title, notes, List.of(MICROS), figures);
  }
}
