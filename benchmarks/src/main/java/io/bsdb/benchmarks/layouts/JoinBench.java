package io.bsdb.benchmarks.layouts;

import io.bsdb.benchmarks.flink.WorkloadFunctions;
import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.writer.Layout;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/**
 * Joins a stream in Flink with a table of eight columns of text in different layouts, reading two
 * of them or all.
 */
public final class JoinBench {
  /** A step through the records that hits them in no order that memory could foresee. */
  private static final long STEP = 7_368_787;

  /** Others are compared with the first one. */
  static final List<Layout> LAYOUTS = List.of(Layout.BLOCKED, Layout.SYMBOLS, Layout.COMPRESSED);

  private static final int ROUNDS = 3;

  /** The columns that a query reads. */
  private static final List<List<String>> QUERIES =
      List.of(List.of("c3", "c6"), List.of("c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"));

  private final Path directory;
  private final long rows;
  private final long events;

  JoinBench(Path directory, long rows, long events) {
    this.directory = directory;
    this.rows = rows;
    this.events = events;
  }

  /** Runs the comparison. */
  public static List<Section> run(Path directory, long rows, long events) throws Exception {
    return new JoinBench(directory, rows, events).run(LAYOUTS, ROUNDS);
  }

  List<Section> run(List<Layout> layouts, int rounds) throws Exception {
    Map<String, Layout> contenders = new LinkedHashMap<>();
    for (Layout layout : layouts) {
      Progress.step("build %s", layout.label());
      build(layout);
      contenders.put(layout.label(), layout);
    }
    Turns<Layout> turns = new Turns<>(contenders);
    List<String> figures = new ArrayList<>();
    for (List<String> columns : QUERIES) {
      String figure = "%d of 8 columns, µs per event".formatted(columns.size());
      Progress.step("%s", figure);
      figures.add(figure);
      turns.measure(figure, 1, rounds, (layout, round) -> join(layout, columns));
    }
    return List.of(
        turns.section("Joins in Flink: %,d rows, %,d events".formatted(rows, events), figures));
  }

  private Path table(Layout layout) {
    return directory.resolve("join-" + rows + "-" + layout.label());
  }

  private void build(Layout layout) throws IOException {
    Directories.delete(table(layout));
    DataSet data = DataSet.columns();
    WriterOptions options =
        WriterOptions.builder()
            .schema(Objects.requireNonNull(data.schema()))
            .layout(layout)
            .build();
    try (SnapshotWriter writer = SnapshotWriter.create(table(layout), options)) {
      for (long id = 0; id < rows; id++) {
        writer.add(data.key(id), data.value(id));
      }
      writer.publish();
    }
  }

  /** Runs one job; returns microseconds per event. */
  private double join(Layout layout, List<String> columns) throws Exception {
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.getExecutionEnvironment(new Configuration());
    env.setParallelism(1);
    StreamTableEnvironment tables = StreamTableEnvironment.create(env);
    tables.createTemporarySystemFunction("RECORD_KEY", WorkloadFunctions.KeyOf.class);
    tables.createTemporaryView(
        "numbers",
        tables.fromDataStream(
            env.fromSequence(0, events - 1),
            Schema.newBuilder().columnByExpression("pt", "PROCTIME()").build()));
    tables.executeSql(
        "CREATE TEMPORARY VIEW s AS SELECT RECORD_KEY(MOD(f0 * %d, %d)) AS k, pt FROM numbers"
            .formatted(STEP, rows));
    String texts = String.join(" STRING, ", QUERIES.get(QUERIES.size() - 1)) + " STRING";
    tables.executeSql(
        "CREATE TABLE d (id BIGINT, %s, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'bsdb', 'path' = '%s')"
            .formatted(texts, table(layout)));
    StringBuilder result = new StringBuilder("k BIGINT");
    StringBuilder select = new StringBuilder("SELECT k");
    for (String column : columns) {
      result.append(", ").append(column).append(" STRING NOT NULL"); // so that none may be absent
      select.append(", d.").append(column);
    }
    tables.executeSql(
        "CREATE TABLE target (%s) WITH ('connector' = 'blackhole')".formatted(result));
    JobExecutionResult job =
        tables
            .executeSql(
                "INSERT INTO target %s FROM s JOIN d FOR SYSTEM_TIME AS OF s.pt ON d.id = s.k"
                    .formatted(select))
            .getJobClient()
            .orElseThrow()
            .getJobExecutionResult()
            .get();
    return job.getNetRuntime() * 1e3 / events;
  }
}
