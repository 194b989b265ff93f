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
  private record Variant(String name, String label, String options) {}

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
    long needed = HeapTableFactory.heapBytes(rows);
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
        new Turns<>(variants, each -> new Row(each.label, each.options.formatted(table, rows)));
    // The first round warms up.
    turns.run(
        1,
        rounds,
        (variant, round, row) -> {
          boolean isRight = !variant.equals(CONSTANT);
          StreamTableEnvironment tables =
              session("a BIGINT, name STRING", variant.options.formatted(table, rows));
          row.add(
              MICROS, join(tables, "ok BOOLEAN", "CHECKED(%s, k, d.a, d.name)".formatted(isRight)));
          Functions.requireCounted(events, variant.label);
          Progress.step("round %d of %d: %s", round + 1, rounds, variant.label);
        });
    if (variants.contains(CONSTANT)) {
      Row constant = turns.row(CONSTANT);
      turns
          .rows()
          .forEach(row -> row.relate("µs over constant", MICROS, constant, (own, at) -> own - at));
    }
    String title = "Lookup join in Flink: %,d records, %,d events".formatted(rows, events);
    return List.of(new Section(title, notes, List.of(MICROS), turns.rows()));
  }

  /** Compares layouts of a table of eight columns of text, of which two are read or all. */
  public List<Section> columns() throws Exception {
    List<Layout> layouts = List.of(Layout.BLOCKED, Layout.SYMBOLS, Layout.COMPRESSED);
    for (Layout layout : layouts) {
      Directories.delete(table(layout));
      build(DataSet.COLUMNS, table(layout), WriterOptions.builder().layout(layout));
    }
    Turns<Layout> turns = new Turns<>(layouts, layout -> new Row(layout.label()));
    for (List<String> read : List.of(List.of("c3", "c6"), COLUMNS)) {
      String figure = "%d of 8 columns, µs per event".formatted(read.size());
      Progress.step("%s", figure);
      turns.run(
          1,
          rounds,
          (layout, round, row) -> {
            StreamTableEnvironment tables =
                session(
                    String.join(" STRING, ", COLUMNS) + " STRING", PATH.formatted(table(layout)));
            String names = String.join(", ", read);
            row.add(
                figure,
                join(
                    tables,
                    "k BIGINT, " + names.replace(",", " STRING,") + " STRING",
                    "FOUND(d.id), " + names));
            Functions.requireCounted(events, figure);
          });
    }
    return List.of(turns.section("Joins in Flink: %,d rows, %,d events".formatted(rows, events)));
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
   * Creates a session with a table {@code d}, and a view {@code s} of events that have keys {@code
   * k} of it.
   */
  private StreamTableEnvironment session(String columns, String options) {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    StreamTableEnvironment tables = Jobs.session(env, RuntimeExecutionMode.STREAMING, 1, events);
    tables.createTemporarySystemFunction("RECORD_KEY", Functions.KeyOf.class);
    tables.createTemporarySystemFunction("CHECKED", Functions.Check.class);
    tables.createTemporarySystemFunction("FOUND", Functions.Found.class);
    tables.executeSql(
        "CREATE TEMPORARY VIEW s AS SELECT RECORD_KEY(MOD(f0 * %d, %d)) AS k, pt FROM numbers"
            .formatted(Jobs.STEP, rows));
    tables.executeSql(
        "CREATE TABLE d (id BIGINT, %s, PRIMARY KEY (id) NOT ENFORCED) WITH (%s)"
            .formatted(columns, options));
    return tables;
  }

  /** Runs a job that selects something from the joined events; returns microseconds per event. */
  private double join(StreamTableEnvironment tables, String target, String selected)
      throws Exception {
    tables.executeSql(
        "CREATE TABLE target (%s) WITH ('connector' = 'blackhole')".formatted(target));
    return Jobs.run(
            tables,
            "INSERT INTO target SELECT %s FROM s LEFT JOIN d FOR SYSTEM_TIME AS OF s.pt ON d.id = s.k"
                .formatted(selected))
        * 1e6
        / events;
  }
}
