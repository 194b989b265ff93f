package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.compact.Compactor;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.testkit.InService;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.util.EnvironmentInformation;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A changelog that keeps a table fresh. */
@Timeout(180)
class StreamTest {
  @RegisterExtension
  static final MiniClusterExtension CLUSTER = new MiniClusterExtension(Sql.cluster());

  /** More than there are changes between two checkpoints. */
  private static final long KEYS = 100;

  private static final int PER_CHECKPOINT = 40;
  private static final TypeInformation<Row> ROW =
      Types.ROW_NAMED(new String[] {"id", "name"}, Types.LONG, Types.STRING);

  /** How many changes a job that is started now reads per checkpoint. */
  private static int perCheckpoint;

  private static int parallelism;

  /** The change that fails once; a test sets it. */
  private static final AtomicLong FAILING = new AtomicLong();

  @TempDir Path directory;
  @TempDir Path savepoints;

  @BeforeEach
  void reset() {
    FAILING.set(-1);
    perCheckpoint = PER_CHECKPOINT;
    parallelism = 2;
  }

  /** The changelog: the n-th change is of the key n mod 100. */
  private static final class Change implements MapFunction<Long, Row> {
    private static final long serialVersionUID = 1L;

    @Override
    public Row map(Long n) {
      if (FAILING.compareAndSet(n, -1)) {
        throw new IllegalStateException("injected");
      }
      return Row.ofKind(isDelete(n) ? RowKind.DELETE : kind(n), n % KEYS, "v" + n);
    }

    private static RowKind kind(long n) {
      return n < KEYS ? RowKind.INSERT : RowKind.UPDATE_AFTER;
    }
  }

  private static boolean isDelete(long n) {
    return n >= KEYS && n % 7 == 3;
  }

  /** What a table has after so many changes. */
  private static Map<Long, String> model(long changes) {
    Map<Long, String> rows = new TreeMap<>();
    for (long n = 0; n < changes; n++) {
      if (isDelete(n)) {
        rows.remove(n % KEYS);
      } else {
        rows.put(n % KEYS, "v" + n);
      }
    }
    return rows;
  }

  private String ddl(String... options) {
    return """
    CREATE TABLE t (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '4', 'lookup.refresh-interval' = '5 ms'%s)\
    """
        .formatted(directory, String.join("", options));
  }

  private Sql session(int parallelism) throws Exception {
    Sql session = Sql.streaming(parallelism).run(ddl()).restarting(3);
    session.env.enableCheckpointing(20);
    return session;
  }

  private static Schema.Builder columns() {
    return Schema.newBuilder()
        .column("id", DataTypes.BIGINT().notNull())
        .column("name", DataTypes.STRING());
  }

  /** Declares the changelog as {@code changes}; a few of them between two checkpoints. */
  private static Sql changes(Sql session, long count) {
    return session.changelog(
        "changes",
        session
            .numbers(count, perCheckpoint)
            .map(new Change())
            .returns(ROW)
            .uid("change")
            .setParallelism(1),
        ChangelogMode.upsert(),
        columns().primaryKey("id"));
  }

  private JobClient start(long count, Configuration configuration) throws Exception {
    Sql session = session(parallelism);
    session.env.configure(configuration);
    return changes(session, count).start("INSERT INTO t SELECT id, name FROM changes");
  }

  private JobClient start(long count) throws Exception {
    return start(count, new Configuration());
  }

  private JobClient restore(long count, String savepoint) throws Exception {
    return start(count, new Configuration().set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint));
  }

  private long changed() throws IOException {
    return Table.at(directory).currentVersion() == null
        ? 0
        : InService.of(directory).changes().count();
  }

  /** Waits until the table has so many changes. */
  private void await(JobClient job, long count) throws Exception {
    Publications.await(directory, job, () -> changed() >= count);
  }

  private Map<Long, String> rows() throws Exception {
    return Sql.batch(2).run(ddl()).names();
  }

  private void assertHas(long changes) throws Exception {
    assertThat(rows()).isEqualTo(model(changes));
    assertThat(InService.of(directory).changes().count()).isEqualTo(changes);
  }

  @Test
  void appliesAChangelogOnceThoughTheJobFails() throws Exception {
    FAILING.set(777);

    start(1500).getJobExecutionResult().get();

    assertThat(FAILING).hasValue(-1);
    assertHas(1500);
    assertThat(Table.at(directory).versions()).hasSizeGreaterThan(10);
    assertThat(InService.of(directory).changes().streams()).containsOnlyKeys("default");
    assertThat(InService.of(directory).changes().streams().get("default").superseded()).hasSize(1);
    assertThat(Table.at(directory).storage().list("data"))
        .containsAll(
            InService.of(directory).changes().segments().stream().map(SegmentFile::name).toList());
    assertThat(Sql.batch(2).run(ddl()).texts("SELECT COUNT(*) FROM t"))
        .containsExactly("+I[%d]".formatted(model(1500).size()));
  }

  @Tag("any-release")
  @Test
  void appliesAChangelogOnceThoughATaskManagerIsLost(@InjectMiniCluster MiniCluster cluster)
      throws Exception {
    JobClient job = start(1500);
    await(job, 300);
    cluster.startTaskManager();
    cluster.startTaskManager();
    cluster.terminateTaskManager(0).get();
    cluster.terminateTaskManager(1).get();

    job.getJobExecutionResult().get();

    assertHas(1500);
  }

  @Test
  void goesOnFromASavepointAndRefusesTheSupersededJob() throws Exception {
    long count = 100_000;
    JobClient first = start(count);
    await(first, 200);
    String savepoint =
        first.stopWithSavepoint(false, savepoints.toString(), SavepointFormatType.CANONICAL).get();
    first.getJobExecutionResult().get();
    long saved = changed();
    assertHas(saved);

    JobClient slow = restore(count, savepoint);
    await(slow, saved + 200);
    perCheckpoint = 50_000;
    parallelism = 3;
    JobClient fast = restore(count, savepoint);

    assertThatThrownBy(() -> slow.getJobExecutionResult().get())
        .hasStackTraceContaining("this job was superseded by another one");
    fast.getJobExecutionResult().get();
    assertThat(rows()).isEqualTo(model(count));
  }

  @Tag("any-release")
  @Test
  void refusesAJobThatStartsAnewUnderTheSameName() throws Exception {
    start(100).getJobExecutionResult().get();

    assertThatThrownBy(() -> start(100).getJobExecutionResult().get())
        .hasStackTraceContaining("another job wrote the stream")
        .hasStackTraceContaining("choose another 'sink.stream', or end the stream");
    assertHas(100);
  }

  @Tag("any-release")
  @Test
  void keepsTheTableThatAnotherJobLooksUpInFresh() throws Exception {
    JobClient job = start(Long.MAX_VALUE);
    await(job, 100);

    Sql lookups = Sql.streaming(1).run(ddl()).numbers("s", Long.MAX_VALUE - 1);
    long last = -1;
    int changes = 0;
    TableResult result =
        lookups.tables.executeSql(
            "SELECT d.name FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0 * 0 + 5");
    try (var rows = result.collect()) {
      while (changes < 3) {
        long n = Long.parseLong(rows.next().<String>getFieldAs(0).substring(1));
        assertThat(n % KEYS).isEqualTo(5);
        assertThat(n).isGreaterThanOrEqualTo(last);
        changes += n > last ? 1 : 0;
        last = n;
      }
    }
    job.cancel().get();
    for (JobClient cancelled : List.of(job, result.getJobClient().orElseThrow())) {
      assertThatThrownBy(() -> cancelled.getJobExecutionResult().get())
          .hasStackTraceContaining("Job was cancelled");
    }
  }

  /** Declares a changelog as {@code updates}. */
  private static void updates(Sql session, ChangelogMode mode, Schema.Builder schema, Row... rows) {
    session.changelog("updates", session.env.fromData(ROW, rows).setParallelism(1), mode, schema);
  }

  @Test
  void deletesARowThatAFilterLeavesOutSinceItsUpdate() throws Exception {
    Sql session = session(2);
    updates(
        session,
        ChangelogMode.all(),
        columns().primaryKey("id"),
        Row.ofKind(RowKind.INSERT, 1L, "a"),
        Row.ofKind(RowKind.INSERT, 2L, "b"),
        Row.ofKind(RowKind.UPDATE_BEFORE, 1L, "a"),
        Row.ofKind(RowKind.UPDATE_AFTER, 1L, "z"),
        Row.ofKind(RowKind.UPDATE_BEFORE, 2L, "b"),
        Row.ofKind(RowKind.UPDATE_AFTER, 2L, "c"));
    session.run("INSERT INTO t SELECT id, name FROM updates WHERE name < 'm'");

    assertThat(Sql.batch(1).run(ddl()).texts("SELECT id, name FROM t")).containsExactly("+I[2, c]");
  }

  /** Flink takes the columns that such a delete lacks for NULL, and keeps rows to complete it. */
  @ParameterizedTest
  @ValueSource(strings = {"", " NOT NULL"})
  void deletesRowsByTheirKeysAlone(String constraint) throws Exception {
    String ddl = ddl().replace("name STRING", "name STRING" + constraint);
    Sql session = session(2).run("DROP TABLE t").run(ddl);
    updates(
        session,
        ChangelogMode.upsert(),
        columns().primaryKey("id"),
        Row.ofKind(RowKind.INSERT, 1L, "a"),
        Row.ofKind(RowKind.INSERT, 2L, "b"),
        Row.ofKind(RowKind.DELETE, 1L, null));
    String insert = "INSERT INTO t SELECT id, name FROM updates";
    session.run(insert);

    assertThat(Sql.batch(1).run(ddl).texts("SELECT id, name FROM t")).containsExactly("+I[2, b]");
    assertThat(session.tables.explainSql(insert).contains("ChangelogNormalize"))
        .isEqualTo(!constraint.isEmpty());
  }

  @Test
  void movesARowWhoseKeyChanges() throws Exception {
    Sql session = session(2);
    updates(
        session,
        ChangelogMode.all(),
        columns(),
        Row.ofKind(RowKind.INSERT, 1L, "a"),
        Row.ofKind(RowKind.INSERT, 2L, "b"),
        Row.ofKind(RowKind.UPDATE_BEFORE, 1L, "a"),
        Row.ofKind(RowKind.UPDATE_AFTER, 3L, "a"));
    String insert = "INSERT INTO t SELECT id, name FROM updates";
    if (EnvironmentInformation.getVersion().startsWith("2.2.")) {
      session.run(insert);
    } else {
      assertThatThrownBy(() -> session.run(insert)).hasStackTraceContaining("ON CONFLICT");
      session.run(insert + " ON CONFLICT DO DEDUPLICATE");
    }

    assertThat(Sql.batch(1).run(ddl()).texts("SELECT id, name FROM t"))
        .containsExactly("+I[2, b]", "+I[3, a]");
  }

  @Tag("any-release")
  @Test
  void foldsItsTableByItselfUnlessThatIsOff() throws Exception {
    long keys = 60_000; // more than the megabyte of changes that is not worth a fold
    String insert =
        "INSERT INTO t /*+ OPTIONS('sink.stream' = '%s', 'sink.compaction' = '%s') */"
            + " SELECT f0, CAST(f0 AS STRING) FROM s";
    Configuration configuration = new Configuration();
    configuration.setString("table.exec.sink.require-on-conflict", "false");
    configuration.setString("table.exec.sink.upsert-materialize", "NONE");
    Sql first = session(2).numbers("s", keys);
    first.tables.getConfig().addConfiguration(configuration);
    first.run(insert.formatted("first", "off"));
    assertThat(InService.of(directory).recordCount()).isZero();

    Sql second = session(2).numbers("s", Long.MAX_VALUE - 1);
    second.tables.getConfig().addConfiguration(configuration);
    JobClient job = second.start(insert.formatted("second", "auto") + " WHERE f0 < 10");
    Publications.await(directory, job, () -> InService.of(directory).recordCount() >= keys);
    job.cancel().get();
    assertThat(rows()).hasSize((int) keys);
  }

  @Test
  void refusesAJobWithoutCheckpoints() throws Exception {
    Sql session = changes(Sql.streaming(1).run(ddl()), 10);

    assertThatThrownBy(() -> session.run("INSERT INTO t SELECT id, name FROM changes"))
        .hasStackTraceContaining("SET 'execution.checkpointing.interval' = '10 s'");
    session.tables.getConfig().set("execution.checkpointing.interval", "20 ms");
    session.run("INSERT INTO t SELECT id, name FROM changes");
    assertHas(10);
  }

  @Tag("any-release")
  @ParameterizedTest
  @ValueSource(strings = {"t /*+ OPTIONS('sink.compaction' = 'off') */", "same"})
  void refusesTwoStreamsOfOneNameInOneJob(String second) throws Exception {
    Sql session =
        changes(session(1), 10)
            .run(ddl().replace("TABLE t", "TABLE same").replace("', 'sink", "/', 'sink"));
    String statements =
        "EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT id, name FROM changes;"
            + " INSERT INTO %s SELECT id, name FROM changes; END";

    assertThatThrownBy(() -> session.run(statements.formatted(second)))
        .hasStackTraceContaining(
            "two INSERTs of this job write the stream 'default' of the table at " + directory);
    assertThat(Table.at(directory).versions()).isEmpty();

    session.run(statements.formatted("t /*+ OPTIONS('sink.stream' = 'other') */"));
    assertThat(rows()).isEqualTo(model(10));
  }

  @Tag("any-release")
  @Test
  void refusesToBuildATableThatAStreamIsWrittenInto() throws Exception {
    start(100).getJobExecutionResult().get();
    Sql session = Sql.batch(1).numbers("n", 10).run(ddl());

    assertThatThrownBy(() -> session.run("INSERT OVERWRITE t SELECT f0, 'x' FROM n"))
        .hasStackTraceContaining(
            "a table into which a stream is written cannot be replaced by a build that does not say"
                + " which changes it has: table="
                + directory)
        .hasStackTraceContaining("streams=[default]");

    session.run("INSERT INTO t SELECT f0 + 1000, 'x' FROM n");
    assertThat(session.texts("SELECT COUNT(*) FROM t"))
        .containsExactly("+I[%d]".formatted(model(100).size() + 10));
  }

  @Tag("any-release")
  @Test
  void isRebuiltUnderAStreamThatGoesOn() throws Exception {
    perCheckpoint = 10;
    JobClient job = start(1500);
    await(job, 200);

    Sql.batch(2).run(ddl()).run("INSERT OVERWRITE t SELECT id, name FROM t");
    new Compactor(directory).foldFraction(0).run();
    Sql.batch(2).run(ddl()).run("INSERT OVERWRITE t SELECT id, name FROM t");

    job.getJobExecutionResult().get();
    assertThat(rows()).isEqualTo(model(1500));
    assertThat(InService.of(directory).changes().streams()).containsOnlyKeys("default");
  }

  @Tag("any-release")
  @Test
  void isRebuiltFromElsewhereAsOfAVersion() throws Exception {
    start(100).getJobExecutionResult().get();
    String version = InService.of(directory).version();
    Sql session = Sql.batch(1).numbers("n", 10).run(ddl());
    session.run("INSERT INTO t VALUES (7, 'kept')");

    String overwrite =
        "INSERT OVERWRITE t /*+ OPTIONS('sink.keep-changes-after' = '%s') */ SELECT f0, 'x' FROM n";
    session.run(overwrite.formatted(version));

    assertThat(session.texts("SELECT name FROM t WHERE id = 7")).containsExactly("+I[kept]");
    assertThat(session.texts("SELECT name FROM t WHERE id = 8")).containsExactly("+I[x]");
    assertThatThrownBy(() -> session.run(overwrite.formatted("yesterday")))
        .hasStackTraceContaining("'sink.keep-changes-after' = 'yesterday' is no version");
    assertThatThrownBy(() -> session.run(overwrite.formatted(version)))
        .hasStackTraceContaining("the table was rebuilt or rolled back");
  }
}
