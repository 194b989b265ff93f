package io.bsdb.flink;

import static org.apache.flink.types.RowKind.DELETE;
import static org.apache.flink.types.RowKind.INSERT;
import static org.apache.flink.types.RowKind.UPDATE_AFTER;
import static org.apache.flink.types.RowKind.UPDATE_BEFORE;
import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.compact.Compactor;
import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.table.Table;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.InService;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Random changes of prices, in a job that fails, against what DuckDB makes of the same changes. */
@Timeout(180)
@ExtendWith(OpenReaders.class)
class HistoryModelTest {
  @RegisterExtension
  static final MiniClusterExtension CLUSTER = new MiniClusterExtension(Sql.cluster());

  private static final int COUNT = 1500;
  private static final int ITEMS = 25;
  private static final TypeInformation<Row> CHANGE =
      Types.ROW_NAMED(
          new String[] {"item", "price", "ts", "ends"},
          Types.STRING,
          Types.INT,
          Types.INSTANT,
          Types.BOOLEAN);

  /** The changes in the order in which they come; the job is in this process. */
  private static volatile List<Row> changes = List.of();

  private static final AtomicLong FAILING = new AtomicLong(-1);

  @TempDir Path directory;
  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  /** When the first change is due, and the time that two changes take, in milliseconds. */
  private long origin;

  private int pace = 1;

  /** How late a change may come, in milliseconds. */
  private int lateness = 2 * COUNT;

  private String retention = "forever";

  private static final class Numbered implements MapFunction<Long, Row> {
    private static final long serialVersionUID = 1L;

    @Override
    public Row map(Long n) {
      if (FAILING.compareAndSet(n, -1)) {
        throw new IllegalStateException("injected");
      }
      return changes.get(n.intValue());
    }
  }

  /** A time that hardly moves, or lies far back, before 1970 too. */
  private Instant time(int change) {
    int late = random.nextInt(10) == 0 ? random.nextInt(lateness) : 0;
    return Instant.ofEpochMilli(origin + (long) change * pace / 2 - late);
  }

  /** Makes the changelog of a table of prices. */
  private List<Row> changelog() {
    Map<String, Integer> prices = new HashMap<>();
    List<Row> log = new ArrayList<>();
    for (int i = 0; log.size() < COUNT; i++) {
      String item = "item " + random.nextInt(ITEMS);
      Instant time = time(i);
      Integer before = prices.get(item);
      if (before == null) {
        prices.put(item, i);
        log.add(Row.ofKind(INSERT, item, i, time, false));
      } else if (random.nextInt(3) == 0) {
        prices.remove(item);
        log.add(Row.ofKind(DELETE, item, before, time, false));
      } else {
        prices.put(item, i);
        log.add(Row.ofKind(UPDATE_BEFORE, item, before, time, false));
        log.add(Row.ofKind(UPDATE_AFTER, item, i, time, false));
      }
    }
    return log;
  }

  /** Makes rows that nobody updates or deletes. */
  private List<Row> appended() {
    List<Row> log = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      boolean ends = random.nextInt(4) == 0;
      String item = "item " + random.nextInt(ITEMS);
      log.add(Row.ofKind(INSERT, item, ends ? null : i, time(i), ends));
    }
    return log;
  }

  private static boolean ends(Row change) {
    return change.getKind() == UPDATE_BEFORE
        || change.getKind() == DELETE
        || change.<Boolean>getFieldAs(3);
  }

  private JobClient start(ChangelogMode mode) throws Exception {
    Sql session =
        Sql.streaming(2).run(Histories.ddl(directory).replace("forever", retention)).restarting(5);
    session.env.enableCheckpointing(20);
    session.env.getConfig().setAutoWatermarkInterval(1);
    session.changelog(
        "changes",
        session.numbers(changes.size(), 40).map(new Numbered()).returns(CHANGE).setParallelism(1),
        mode,
        Schema.newBuilder()
            .column("item", DataTypes.STRING().notNull())
            .column("price", DataTypes.INT())
            .column("ts", DataTypes.TIMESTAMP_LTZ(3))
            .column("ends", DataTypes.BOOLEAN())
            .watermark("ts", "ts - INTERVAL '%.3f' SECOND".formatted(lateness / 1e3)));
    return session.start("INSERT INTO prices SELECT item, price, ts, ends FROM changes");
  }

  private long published() throws Exception {
    Table table = Table.at(directory);
    return table.currentVersion() == null ? 0 : InService.of(table).changes().count();
  }

  @Test
  void aChangelogIsAppliedOnceThoughTheJobFails() throws Exception {
    changes = changelog();
    FAILING.set(COUNT / 2);

    start(ChangelogMode.all()).getJobExecutionResult().get();

    assertThat(FAILING).hasValue(-1);
    assertHistory();
  }

  @Test
  void appendedRowsAreAppliedOnceThoughTaskManagersAreLost(@InjectMiniCluster MiniCluster cluster)
      throws Exception {
    changes = appended();

    JobClient job = start(ChangelogMode.insertOnly());
    Await.until(
        () -> {
          assertThat(job.getJobStatus().get().isGloballyTerminalState()).isFalse();
          return published() >= COUNT / 4;
        });
    cluster.startTaskManager();
    cluster.startTaskManager();
    cluster.terminateTaskManager(0).get();
    cluster.terminateTaskManager(1).get();
    job.getJobExecutionResult().get();

    assertHistory();
  }

  /** From the horizon on, answers are those of a history of which nothing was dropped. */
  @Test
  void aHistoryWithARetentionAnswersAlikeFromItsHorizonOn() throws Exception {
    retention = "500 s";
    origin = System.currentTimeMillis() - 1_000_000;
    pace = 1_000;
    lateness = 90_000;
    List<Row> log = new ArrayList<>();
    for (int i = 0; i < 10; i++) { // all but the last one go
      log.add(Row.ofKind(INSERT, "item 0", -i, Instant.ofEpochMilli(origin - 300_000 + i), false));
    }
    log.addAll(appended());
    changes = log;
    FAILING.set(COUNT / 2);

    start(ChangelogMode.insertOnly()).getJobExecutionResult().get();
    new Compactor(directory).foldFraction(0).run();

    Table table = Table.at(directory);
    Instant horizon = InService.of(table).validity().horizon();
    List<Row> orders = orders(horizon.toEpochMilli(), 500_000);
    assertThat(joined(orders, "")).as("seed=%d", seed).isEqualTo(ofDuckDb(orders));
    List<String> kept = Histories.versions(directory);
    assertThat(model().values()).as("seed=%d", seed).containsAll(kept);
    assertThat(kept).as("seed=%d", seed).hasSizeLessThan(model().size());
  }

  /** Orders that come before the changes do, and yet get the price of their time. */
  @Test
  void ordersWaitForTheChangesBeforeThem() throws Exception {
    lateness = 30;
    changes = changelog();
    FAILING.set(COUNT / 2);
    Sql.batch(1)
        .run(Histories.ddl(directory))
        .run("INSERT INTO prices VALUES ('nothing', 0, TO_TIMESTAMP_LTZ(0, 3), FALSE)");
    List<Row> orders = orders(-2 * COUNT, 3 * COUNT);
    orders.sort(Comparator.comparing(order -> order.<Instant>getFieldAs(2)));

    FutureTask<List<String>> answers =
        new FutureTask<>(
            () ->
                joined(
                    orders,
                    ", 'lookup.wait-for-source-time' = '100 s', 'lookup.refresh-interval' = '2 ms'"));
    new Thread(answers).start();
    start(ChangelogMode.all()).getJobExecutionResult().get();

    assertThat(answers.get()).as("seed=%d", seed).isEqualTo(ofDuckDb(orders));
  }

  /** Makes orders of random times, from one on, in milliseconds. */
  private List<Row> orders(long from, int span) {
    List<Row> orders = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      orders.add(
          Row.of(
              i,
              "item " + random.nextInt(ITEMS + 1),
              Instant.ofEpochMilli(from + random.nextInt(span))));
    }
    return orders;
  }

  /** Everything there is, and answers for random times: as changes, and once they are folded. */
  private void assertHistory() throws Exception {
    List<Row> orders = orders(-2 * COUNT, 3 * COUNT);
    List<String> expected = ofDuckDb(orders);
    for (int folds = 0; folds < 2; folds++) {
      assertThat(new TreeSet<>(Histories.versions(directory)))
          .as("seed=%d folds=%d", seed, folds)
          .isEqualTo(new TreeSet<>(model().values()));
      for (boolean async : new boolean[] {false, true}) {
        assertThat(joined(orders, ", 'lookup.async' = '%s'".formatted(async)))
            .as("seed=%d folds=%d async=%s", seed, folds, async)
            .isEqualTo(expected);
      }
      long live = model().values().stream().filter(version -> !version.endsWith("ended")).count();
      assertThat(
              Sql.batch(2)
                  .run(Histories.ddl(directory))
                  .texts("SELECT COUNT(*), COUNT(DISTINCT ended), MAX(ended) FROM prices"))
          .as("seed=%d folds=%d", seed, folds)
          .containsExactly("+I[%d, 1, false]".formatted(live));
      new Compactor(directory).foldFraction(0).run();
    }
  }

  private static Map<String, String> model() {
    Map<String, String> versions = new TreeMap<>();
    for (Row change : changes) {
      String key =
          "%s %d"
              .formatted(
                  change.<String>getFieldAs(0), change.<Instant>getFieldAs(2).toEpochMilli());
      versions.put(key, key + (ends(change) ? " ended" : "=" + change.getField(1)));
    }
    return versions;
  }

  private List<String> joined(List<Row> orders, String options) throws Exception {
    Sql session = Sql.streaming(2).run(Histories.ddl(directory, options));
    session.tables.createTemporaryView(
        "orders",
        session.tables.fromDataStream(
            session.env.fromData(
                Types.ROW_NAMED(
                    new String[] {"id", "item", "ordered"}, Types.INT, Types.STRING, Types.INSTANT),
                orders.toArray(Row[]::new)),
            Schema.newBuilder()
                .column("id", DataTypes.INT())
                .column("item", DataTypes.STRING())
                .column("ordered", DataTypes.TIMESTAMP_LTZ(3))
                .columnByExpression("pt", "PROCTIME()")
                .build()));
    return session
        .texts(
            """
            SELECT o.id, p.price FROM orders AS o
            LEFT JOIN prices FOR SYSTEM_TIME AS OF o.pt AS p ON p.item = o.item AND p.valid_at = o.ordered""")
        .stream()
        .map(text -> text.substring("+I[".length(), text.length() - 1))
        .sorted()
        .toList();
  }

  /** Keeps the last change of an item and a time, and joins with the latest that is not later. */
  private static List<String> ofDuckDb(List<Row> orders) throws Exception {
    List<String> log = new ArrayList<>();
    for (Row change : changes) {
      log.add(
          "(%d, '%s', %d, %s, %s)"
              .formatted(
                  log.size(),
                  change.getField(0),
                  change.<Instant>getFieldAs(2).toEpochMilli(),
                  ends(change) ? null : change.getField(1),
                  ends(change)));
    }
    String asked =
        orders.stream()
            .map(
                order ->
                    "(%s, '%s', %d)"
                        .formatted(
                            order.getField(0),
                            order.getField(1),
                            order.<Instant>getFieldAs(2).toEpochMilli()))
            .collect(Collectors.joining(", "));
    List<String> answers = new ArrayList<>();
    try (Connection duckDb = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duckDb.createStatement();
        ResultSet rows =
            statement.executeQuery(
                """
                WITH log(n, item, ts, price, ends) AS (VALUES %s), orders(id, item, ordered) AS (VALUES %s),
                versions AS (SELECT item, ts, last(price ORDER BY n) AS price, last(ends ORDER BY n) AS ends FROM log GROUP BY item, ts)
                SELECT o.id, CASE WHEN v.ends THEN NULL ELSE v.price END
                FROM orders AS o ASOF LEFT JOIN versions AS v ON o.item = v.item AND o.ordered >= v.ts"""
                    .formatted(String.join(", ", log), asked))) {
      while (rows.next()) {
        answers.add(rows.getInt(1) + ", " + rows.getObject(2));
      }
    }
    return answers.stream().sorted().toList();
  }
}
