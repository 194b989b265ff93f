package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.harness.DataSet;
import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.table.Table;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/**
 * Joins a stream in Flink with tables, in turn, in one slot, and reports the wall time per event.
 * Differences count: the time of the source, the sink and Flink itself is in all.
 *
 * @param rows of the tables
 * @param words names or parts of names of lookups; none for all
 */
public record LookupBench(Path directory, long rows, long events, int rounds, List<String> words)
    implements Callable<List<Section>> {
  private static final String MICROS = "µs per event";

  /**
   * A lookup table that is joined with the events.
   *
   * @param name on the command line
   * @param label in reports
   * @param options of the lookup table; %1$s stands for the path of bsdb's, %2$d for its rows
   */
  private record Variant(String name, String label, String options) {
    String of(Path table, long rows) {
      return options.formatted(table, rows);
    }
  }

  private static final List<String> COLUMNS =
      List.of("c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8");
  private static final String PATH = "'connector' = 'bsdb', 'path' = '%1$s'";
  private static final Variant CONSTANT =
      new Variant("constant", "a constant row", "'connector' = 'bench-heap', 'rows' = '1'");
  private static final Variant HASHMAP =
      new Variant("hashmap", "HashMap on the heap", "'connector' = 'bench-heap', 'rows' = '%2$d'");
  private static final List<Variant> VARIANTS =
      List.of(
          new Variant("bsdb", "bsdb, synchronous", PATH),
          CONSTANT,
          HASHMAP,
          new Variant(
              "bsdb-async",
              "bsdb, asynchronous",
              PATH + ", 'lookup.async' = 'true', 'lookup.access' = 'mapped'"));

  /** Returns the names of all lookups. */
  public static List<String> names() {
    return VARIANTS.stream().map(Variant::name).toList();
  }

  private List<Variant> variants(List<String> notes) {
    List<Variant> variants =
        new ArrayList<>(Peer.choose(VARIANTS, Variant::name, words, List.of("")));
    long needed = rows * HeapTableFactory.HEAP_BYTES_PER_ROW;
    long maximum = Runtime.getRuntime().maxMemory();
    if (needed > maximum && variants.remove(HASHMAP)) {
      notes.add(
          "left out: %s: its heap would need %,d MiB, and BENCH_HEAP allows %,d"
              .formatted(HASHMAP.label, needed >> 20, maximum >> 20));
    }
    return variants;
  }

  /** Compares lookups. */
  @Override
  public List<Section> call() throws Exception {
    Path table = directory.resolve("flink").resolve("table-" + rows);
    if (Table.at(table).versions().isEmpty()) {
      build(DataSet.NUMBERS, table, WriterOptions.builder().partitions(16));
    }
    List<String> notes = new ArrayList<>();
    List<Variant> variants = variants(notes);
    Turns<Variant> turns =
        new Turns<>(
            variants,
            each -> new Row(each.label, each.of(table, rows)),
            Jobs.untimed(rows),
            rounds);
    turns.run(
        (variant, round, row) -> {
          String selected = "CHECKED(%s, k, t.a, t.name)".formatted(!variant.equals(CONSTANT));
          String options = variant.of(table, rows);
          row.add(MICROS, join("a BIGINT, name STRING", options, "ok BOOLEAN", selected));
          Functions.requireCounted(events, variant.label);
          Progress.step("round %d of %d: %s", round + 1, rounds, variant.label);
        });
    if (variants.contains(CONSTANT)) {
      turns.relate("µs over constant", MICROS, CONSTANT, (own, at) -> own - at);
    }
    String title = "Lookup join in Flink: %,d records, %,d events".formatted(rows, events);
    return List.of(new Section(title, notes, List.of(MICROS), turns.rows()));
  }

  /** Compares layouts of a table of eight columns of text; two are read, or all. */
  public List<Section> columns() throws Exception {
    List<Layout> layouts = List.of(Layout.BLOCKED, Layout.SYMBOLS, Layout.COMPRESSED);
    for (Layout layout : layouts) {
      Directories.delete(table(layout));
      build(DataSet.COLUMNS, table(layout), WriterOptions.builder().layout(layout));
    }
    Turns<Layout> turns =
        new Turns<>(layouts, layout -> new Row(layout.label()), Jobs.untimed(rows), rounds);
    for (List<String> read : List.of(List.of("c3", "c6"), COLUMNS)) {
      String figure = "%d of 8 columns, µs per event".formatted(read.size());
      String target = "k BIGINT, " + strings(read);
      String selected = "FOUND(t.id), " + String.join(", ", read);
      Progress.step("%s", figure);
      turns.run(
          (layout, round, row) -> {
            String options = PATH.formatted(table(layout));
            row.add(figure, join(strings(COLUMNS), options, target, selected));
            Functions.requireCounted(events, figure);
          });
    }
    return List.of(turns.section("Joins in Flink: %,d rows, %,d events".formatted(rows, events)));
  }

  private static String strings(List<String> columns) {
    return String.join(" STRING, ", columns) + " STRING";
  }

  private Path table(Layout layout) {
    return directory.resolve("join-" + layout);
  }

  private void build(DataSet data, Path table, WriterOptions.Builder options) throws IOException {
    Progress.step("build %s: %,d rows", table.getFileName(), rows);
    new Workload(data, rows)
        .publish(table, options.schema(Objects.requireNonNull(data.schema())).build());
  }

  /**
   * Joins events, which have keys of a table, with the table; returns microseconds per event.
   *
   * @param columns of the table beside its key {@code id}
   * @param target columns of a table that gets what is selected
   */
  private double join(String columns, String options, String target, String selected)
      throws Exception {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    StreamTableEnvironment tables = Jobs.session(env, RuntimeExecutionMode.STREAMING, 1, events);
    Jobs.create(tables, "t", "id BIGINT, PRIMARY KEY (id) NOT ENFORCED, " + columns, options);
    Jobs.create(tables, "target", target, Jobs.DROPPED);
    String key = "RECORD_KEY(MOD(f0 * %d, %d))".formatted(Jobs.STEP, rows);
    return Jobs.join(tables, key, selected) * 1e6 / events;
  }
}
