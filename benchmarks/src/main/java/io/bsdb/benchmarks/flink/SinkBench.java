package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.table.storage.DirectoryTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.connector.ChangelogMode;

/**
 * Measures a stream into a table, lookup joins while the table changes, and how soon they see what
 * has changed: docs/BENCHMARKS.md describes how. Contenders take turns; ratios are medians of those
 * of each round.
 *
 * @param directory an absolute path
 * @param rows of the tables
 * @param events to join
 * @param contenders some of {@link #names}
 */
public record SinkBench(
    Path directory, long rows, long events, int rounds, List<String> contenders) {
  static final long CHECKPOINT_MILLIS = 1_000;

  private static final int PARALLELISM = 2;
  private static final int CHANGES_PER_SECOND = 10_000;
  private static final int PROBES_PER_SECOND = 50_000;
  private static final long PROBES = 8 * PROBES_PER_SECOND;

  /** One row of so many is changed while others are looked up. */
  private static final int CHANGED = 10;

  /** Percent of the lookups that find nothing, beside changes. */
  private static final int ABSENT = 10;

  private static final String NAME = "x".repeat(80);
  private static final String COLUMNS = "id BIGINT, passed BIGINT, name STRING";
  private static final String DROPPED = "a sink that drops all";

  /**
   * The options of tables: STREAM stands for a name for each job, INTERVAL for how often a lookup
   * is to look for changes.
   */
  private static final Map<String, String> OPTIONS =
      Map.of(
          DROPPED,
          Jobs.DROPPED,
          "bsdb",
          "'connector' = 'bsdb', 'path' = 'DIRECTORY/bsdb', 'sink.stream' = 'STREAM',"
              + " 'lookup.refresh-interval' = 'INTERVAL'",
          "bsdb-disk",
          "'connector' = 'bsdb', 'path' = 'DIRECTORY/bsdb-disk', 'lookup.access' = 'io_uring',"
              + " 'lookup.async' = 'true'",
          "paimon",
          "'connector' = 'paimon', 'path' = 'file://DIRECTORY/paimon', 'auto-create' = 'true',"
              + " 'bucket' = '1', 'continuous.discovery-interval' = 'INTERVAL'");

  /** Returns the names of all contenders: bsdb, with which others are compared, first. */
  public static List<String> names() {
    return OPTIONS.keySet().stream().filter(name -> !name.equals(DROPPED)).sorted().toList();
  }

  /** Compares streams into tables, and lookup joins with tables that change. */
  public List<Section> run() throws Exception {
    List<Section> sections = List.of(writing(), joining());
    DirectoryTree.delete(directory);
    return sections;
  }

  private StreamTableEnvironment session(
      String contender, String stream, RuntimeExecutionMode mode, String interval) {
    boolean isBatch = mode == RuntimeExecutionMode.BATCH;
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    if (!isBatch) {
      env.enableCheckpointing(CHECKPOINT_MILLIS);
    }
    StreamTableEnvironment tables = Jobs.session(env, mode, PARALLELISM, isBatch ? rows : events);
    // The order of rows with one key does not matter, or is that of the changelog.
    tables.getConfig().set("table.exec.sink.require-on-conflict", "false");
    tables.getConfig().set("table.exec.sink.upsert-materialize", "NONE");
    if (!isBatch) {
      tables.createTemporaryView(
          "changelog",
          tables.fromChangelogStream(
              env.fromSequence(0, rows - 1)
                  .flatMap(new Functions.Changelog(NAME))
                  .returns(Functions.Changelog.TYPE),
              Schema.newBuilder()
                  .column("id", "BIGINT NOT NULL")
                  .column("passed", "BIGINT")
                  .column("name", "STRING")
                  .primaryKey("id")
                  .build(),
              ChangelogMode.all()));
      Jobs.createView(tables, "ticks", paced(env, Long.MAX_VALUE, CHANGES_PER_SECOND));
      Jobs.createView(tables, "probes", paced(env, PROBES, PROBES_PER_SECOND));
    }
    String options =
        Objects.requireNonNull(OPTIONS.get(contender), contender)
            .replace("DIRECTORY", directory.toString())
            .replace("STREAM", stream)
            .replace("INTERVAL", interval);
    Jobs.create(tables, "t", COLUMNS + ", PRIMARY KEY (id) NOT ENFORCED", options);
    Jobs.create(tables, "target", COLUMNS, Jobs.DROPPED);
    return tables;
  }

  private StreamTableEnvironment batch(String contender) {
    return session(contender, "none", RuntimeExecutionMode.BATCH, "1 s");
  }

  private StreamTableEnvironment streaming(String contender, String stream) {
    return session(contender, stream, RuntimeExecutionMode.STREAMING, "1 s");
  }

  private Section writing() throws Exception {
    List<String> all = new ArrayList<>(List.of(DROPPED));
    all.addAll(contenders);
    return new Turns<>(all, Row::new, Jobs.untimed(rows), rounds)
        .run(
            (contender, round, row) -> {
              DirectoryTree.delete(directory);
              StreamTableEnvironment tables = streaming(contender, "load");
              double seconds = Jobs.run(tables, "INSERT INTO t SELECT * FROM changelog");
              double rate = rows * Functions.Changelog.CHANGES / seconds;
              row.add("changes/s", rate);
              Progress.step("written %,.0f changes/s: %s", rate, contender);
              if (!contender.equals(DROPPED)) {
                checkWritten(contender);
              }
            })
        .section("Written, %,d rows".formatted(rows));
  }

  private void checkWritten(String contender) throws Exception {
    String expected = "+I[%d, %d]".formatted(rows, rows * (rows - 1) / 2);
    try (var answer =
        batch(contender).executeSql("SELECT COUNT(*), SUM(passed) FROM t").collect()) {
      String actual = answer.next().toString();
      if (!actual.equals(expected)) {
        throw new IllegalStateException(
            "count and sum of %s: expected=%s actual=%s".formatted(contender, expected, actual));
      }
    }
  }

  /** Builds a table of even keys for each contender. */
  private void build() throws Exception {
    DirectoryTree.delete(directory);
    for (String contender : contenders) {
      batch(contender)
          .executeSql(
              "INSERT OVERWRITE t SELECT f0 * 2, CAST(0 AS BIGINT), '%s' FROM numbers"
                  .formatted(NAME))
          .await();
      Progress.step("built: %s", contender);
    }
  }

  /** Compares lookup joins with tables that do not change, by the share of absent keys. */
  public List<Section> absent() throws Exception {
    build();
    Turns<String> turns = new Turns<>(contenders, Row::new, Jobs.untimed(rows), rounds);
    for (int absent : new int[] {0, 50, 90}) {
      String figure = "%d %% absent".formatted(absent);
      turns.run((contender, round, row) -> row.add(figure, joined(contender, absent)));
    }
    DirectoryTree.delete(directory);
    String title = "Joined, %,d rows, %,d events, rows/s".formatted(rows, events);
    return List.of(turns.section(title));
  }

  private Section joining() throws Exception {
    build();
    Turns<String> turns = new Turns<>(contenders, Row::new, Jobs.untimed(rows), rounds);
    turns.run(
        (contender, round, row) -> {
          JobClient changes =
              Jobs.start(
                  streaming(contender, "changes-" + round),
                  "INSERT INTO t SELECT f0 * 2, f1, '%s' FROM ticks".formatted(NAME));
          try {
            List<Long> ages = probedAges(contender);
            if (ages.isEmpty()) {
              throw new IllegalStateException("no change was seen: " + contender);
            }
            row.add("seen, ms", ages.stream().mapToDouble(Long::doubleValue).toArray());
            row.add("seen at the latest, ms", (double) Collections.max(ages));
            row.add("joined, rows/s", joined(contender, ABSENT));
          } finally {
            changes.cancel().get();
            // Its tasks still delete files.
            changes.getJobExecutionResult().handle((result, cancelled) -> true).get();
          }
        });
    return turns.section("Joined while rows change, %,d rows".formatted(rows));
  }

  /** Returns random numbers of rows that change. */
  private DataStream<Tuple2<Long, Long>> paced(
      StreamExecutionEnvironment env, long count, int perSecond) {
    return env.fromSequence(0, count - 1)
        .map(new Functions.Paced(perSecond / PARALLELISM, rows / CHANGED));
  }

  private List<Long> probedAges(String contender) throws Exception {
    StreamTableEnvironment tables =
        session(contender, "none", RuntimeExecutionMode.STREAMING, "10 ms");
    Functions.Age.restart();
    tables
        .executeSql(
            "INSERT INTO target SELECT t.id, AGE(t.passed), t.name FROM probes AS s JOIN t FOR"
                + " SYSTEM_TIME AS OF s.pt ON t.id = s.f0 * 2")
        .await();
    List<Long> ages = Functions.Age.ages();
    Progress.step("seen after %s ms: %s", ages, contender);
    return ages;
  }

  /**
   * @param absent percent of the keys
   */
  private double joined(String contender, int absent) throws Exception {
    String key =
        "MOD(f0 * %d, %d) * 2 + IF(MOD(f0, 100) < %d, 1, 0)".formatted(Jobs.STEP, rows, absent);
    StreamTableEnvironment tables = streaming(contender, "none");
    double rate = events / Jobs.join(tables, key, "k, FOUND(t.passed), t.name");
    Progress.step("joined %,.0f rows/s, %d %% absent: %s", rate, absent, contender);
    Functions.requireCounted(
        events - events / 100 * absent - Math.min(events % 100, absent), contender);
    return rate;
  }
}
