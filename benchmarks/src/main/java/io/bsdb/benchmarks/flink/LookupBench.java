package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.harness.DataSet;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.table.Table;
import io.bsdb.table.storage.DirectoryTree;
import io.bsdb.writer.options.Layout;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/**
 * Joins a stream in Flink with tables, in turn, in one slot, and reports the wall time per event.
 * Differences count: the time of the source, the sink and Flink itself is in all.
 *
 * @param rows of the tables
 * @param words names or parts of names of lookups, or of layouts; none for all
 */
public record LookupBench(Path directory, long rows, long events, int rounds, List<String> words)
    implements Callable<List<Section>> {
  private static final String MICROS = "µs per event";

  private static final List<String> COLUMNS =
      List.of("c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8");
  private static final String PATH = "'connector' = 'bsdb', 'path' = '%1$s'";
  private static final String CONSTANT = "constant";
  private static final String HASHMAP = "hashmap";

  /** The options of lookup tables; %1$s stands for the path of bsdb's, %2$d for its rows. */
  private static final Map<String, String> OPTIONS =
      Map.of(
          CONSTANT,
          "'connector' = 'bench-heap', 'rows' = '1'",
          HASHMAP,
          "'connector' = 'bench-heap', 'rows' = '%2$d'",
          "bsdb",
          PATH,
          "bsdb-async",
          PATH + ", 'lookup.async' = 'true', 'lookup.access' = 'mapped'");

  /** Returns the names of all lookups: that of bsdb, with which others are compared, first. */
  public static List<String> names() {
    return OPTIONS.keySet().stream().sorted().toList();
  }

  private List<String> lookups(List<String> notes) {
    List<String> lookups = new ArrayList<>(Peer.choose(names(), words, names()));
    long needed = rows * HeapTableFactory.HEAP_BYTES_PER_ROW;
    long maximum = Runtime.getRuntime().maxMemory();
    if (needed > maximum && lookups.remove(HASHMAP)) {
      notes.add(
          "left out: %s: its heap would need %,d MiB, and BENCH_HEAP allows %,d"
              .formatted(HASHMAP, needed >> 20, maximum >> 20));
    }
    return lookups;
  }

  @Override
  public List<Section> call() throws Exception {
    Path table = directory.resolve("flink").resolve("table-" + rows);
    if (Table.at(table).versions().isEmpty()) {
      build(DataSet.NUMBERS, table, WriterOptions.builder().partitions(16));
    }
    List<String> notes = new ArrayList<>();
    List<String> lookups = lookups(notes);
    UnaryOperator<String> options =
        lookup -> Objects.requireNonNull(OPTIONS.get(lookup)).formatted(table, rows);
    Turns<String> turns =
        new Turns<>(
            lookups, each -> new Row(each, options.apply(each)), Jobs.untimed(rows), rounds);
    turns.run(
        (lookup, round, row) -> {
          String selected = "CHECKED(%s, k, t.a, t.name)".formatted(!lookup.equals(CONSTANT));
          String columns = "a BIGINT, name STRING";
          row.add(MICROS, join(columns, options.apply(lookup), "ok BOOLEAN", selected));
          Functions.requireCounted(events, lookup);
          Progress.step("round %d of %d: %s", round + 1, rounds, lookup);
        });
    if (lookups.contains(CONSTANT)) {
      Row constant = turns.rows().get(lookups.indexOf(CONSTANT));
      turns
          .rows()
          .forEach(
              row ->
                  row.add("µs over constant", row.median(MICROS, constant, (own, at) -> own - at)));
    }
    String title = "Lookup join in Flink: %,d records, %,d events".formatted(rows, events);
    return List.of(new Section(title, notes, turns.rows()));
  }

  /** Compares layouts of a table of eight columns of text; two are read, or all. */
  public List<Section> columns() throws Exception {
    List<Layout> all = List.of(Layout.BLOCKED, Layout.SYMBOLS, Layout.COMPRESSED);
    List<String> names = all.stream().map(Layout::label).toList();
    List<String> chosen = Peer.choose(names, words, names);
    List<Layout> layouts = all.stream().filter(each -> chosen.contains(each.label())).toList();
    for (Layout layout : layouts) {
      DirectoryTree.delete(table(layout));
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
