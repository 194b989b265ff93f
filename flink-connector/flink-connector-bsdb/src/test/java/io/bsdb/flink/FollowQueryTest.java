package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.diff.SnapshotDiff;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.functions.ScalarFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Streaming queries that follow the changes of a table. */
@Timeout(180)
@ExtendWith({SharedCluster.class, OpenReaders.class})
class FollowQueryTest {
  private static final String FOLLOWED = "t /*+ OPTIONS('scan.follow' = 'true') */";

  @TempDir Path directory;
  @TempDir Path savepoints;
  private Sql batch;

  @BeforeEach
  void build() throws Exception {
    batch = declare(Sql.batch(2));
    batch.numbers("n", 200);
    batch.run("INSERT OVERWRITE t SELECT f0, MOD(f0, 5), CAST(f0 AS INT) FROM n");
  }

  private Sql declare(Sql session) throws Exception {
    String table =
        """
        CREATE TABLE %s (%s PRIMARY KEY (%s) NOT ENFORCED)
        WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '3', 'lookup.refresh-interval' = '5 ms')""";
    session.tables.createTemporarySystemFunction("faulty", Faulty.class);
    return session
        .run(table.formatted("t", "id BIGINT, grp BIGINT, n INT,", "id", directory.resolve("t")))
        .run(
            table.formatted(
                "copied", "id BIGINT, grp BIGINT, n INT,", "id", directory.resolve("copied")))
        .run(
            table.formatted(
                "sums", "grp BIGINT, c BIGINT, s INT,", "grp", directory.resolve("sums")));
  }

  /** Fails when it has been called so many times. */
  public static final class Faulty extends ScalarFunction {
    private static final long serialVersionUID = 1L;
    private static final AtomicInteger CALLS = new AtomicInteger();

    public Integer eval(Integer n) {
      if (CALLS.decrementAndGet() == 0) {
        throw new IllegalStateException("injected");
      }
      return n;
    }
  }

  private JobClient follow(int parallelism, Configuration configuration) throws Exception {
    Sql session = declare(Sql.streaming(parallelism)).restarting(20);
    session.env.configure(configuration);
    session.env.enableCheckpointing(20);
    StatementSet statements = session.tables.createStatementSet();
    statements.addInsertSql("INSERT INTO copied SELECT id, grp, n FROM " + FOLLOWED);
    statements.addInsertSql(
        "INSERT INTO sums SELECT grp, COUNT(*), SUM(faulty(n)) FROM %s GROUP BY grp"
            .formatted(FOLLOWED));
    return statements.execute().getJobClient().orElseThrow();
  }

  private static void requireRunning(JobClient job) throws Exception {
    assertThat(job.getJobStatus().get().isGloballyTerminalState()).isFalse();
  }

  private void awaitCopy(JobClient job) throws Exception {
    Path copied = directory.resolve("copied");
    Publications.await(copied, job, () -> Table.at(copied).currentVersion() != null && isCopied());
  }

  /** Waits until both tables that a job feeds are as the one that it follows demands. */
  private void awaitAll(JobClient job) throws Exception {
    awaitCopy(job);
    List<String> sums = batch.texts("SELECT grp, COUNT(*), SUM(n) FROM t GROUP BY grp");
    Publications.await(directory.resolve("sums"), job, () -> stored().equals(sums));
  }

  private List<String> stored() throws IOException {
    return Stored.rows(directory.resolve("sums")).stream()
        .map(row -> "+I[%s, %s, %s]".formatted(row.value("grp"), row.value("c"), row.value("s")))
        .sorted()
        .toList();
  }

  /** Compares what is stored, which is faster than a query. */
  private boolean isCopied() throws IOException {
    try (SnapshotReader before = SnapshotReader.open(directory.resolve("t"));
        SnapshotReader after = SnapshotReader.open(directory.resolve("copied"));
        SnapshotDiff differences = SnapshotDiff.between(before, after, 1, () -> false)) {
      return differences.next() == null;
    }
  }

  @Test
  void feedsTablesThatEqualTheFirst() throws Exception {
    JobClient job = follow(2, new Configuration());
    awaitCopy(job);
    for (String statement :
        List.of(
            "INSERT INTO t SELECT f0 * 3, 7, 5 FROM n",
            "DELETE FROM t WHERE n > 100",
            "UPDATE t SET grp = grp + 1, n = n + 1 WHERE id < 50",
            "INSERT OVERWRITE t /*+ OPTIONS('sink.partitions' = '2') */ SELECT f0, MOD(f0, 4), 1 FROM n WHERE f0 > 20")) {
      Faulty.CALLS.set(7);
      batch.run(statement);
      awaitCopy(job);
      while (Faulty.CALLS.get() > 0) {
        requireRunning(job);
        LockSupport.parkNanos(1_000_000); // else the question takes a processor from the job
      }
    }

    awaitAll(job);
    String savepoint =
        job.stopWithSavepoint(false, savepoints.toString(), SavepointFormatType.CANONICAL).get();
    job.getJobExecutionResult().get();
    batch.run("UPDATE t SET n = 9 WHERE id > 150");
    batch.run("DELETE FROM t WHERE id = 199");
    JobClient restored =
        follow(3, new Configuration().set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint));
    awaitAll(restored);
    restored.cancel().get();
    assertThatThrownBy(() -> restored.getJobExecutionResult().get())
        .hasStackTraceContaining("Job was cancelled");
  }

  @Test
  void theQuerySeesInsertsUpdatesAndDeletes() throws Exception {
    assertThat(
            declare(Sql.streaming(1))
                .tables
                .explainSql(
                    "SELECT n FROM %s WHERE id = 1".formatted(FOLLOWED),
                    ExplainDetail.CHANGELOG_MODE))
        .contains(
            """
            == Optimized Physical Plan ==
            Calc(select=[n], where=[=(id, 1:BIGINT)], changelogMode=[I,UA,D])
            +- DropUpdateBefore(changelogMode=[I,UA,D])
               +- TableSourceScan(table=[[default_catalog, default_database, t, filter=[], project=[id, n], metadata=[]]], fields=[id, n], hints=[[[OPTIONS options:{scan.follow=true}]]], changelogMode=[I,UB,UA,D])
            """);
  }

  @Test
  void refusesMetadataThatChangesWithoutTheRow() throws Exception {
    Sql session =
        Sql.streaming(1)
            .run(
                """
                CREATE TABLE m (id BIGINT, n INT, v STRING METADATA FROM 'snapshot-version' VIRTUAL, PRIMARY KEY (id) NOT ENFORCED)
                WITH ('connector' = 'bsdb', 'path' = '%s', 'scan.follow' = 'true')"""
                    .formatted(directory.resolve("t")));

    assertThatThrownBy(() -> session.run("SELECT id, v FROM m"))
        .hasStackTraceContaining(
            "cannot be followed with metadata columns: [snapshot-version] can change where the row does not; leave them out of the query");
  }

  @Test
  void refusesWhatCannotBeFollowed() throws Exception {
    String query = "SELECT * FROM t /*+ OPTIONS('scan.follow' = 'true'%s) */";
    Sql streaming = declare(Sql.streaming(1));

    assertThatThrownBy(() -> batch.run(query.formatted("")))
        .hasStackTraceContaining("in batch mode is not allowed. The table source is unbounded.");
    assertThatThrownBy(
            () -> streaming.run(query.formatted(", 'snapshot.version' = '0000000001-12345678'")))
        .hasStackTraceContaining(
            "'scan.follow' = 'true' reads the changes between versions, and version 0000000001-12345678 was chosen; read the table without 'snapshot.version'");
    assertThatThrownBy(() -> streaming.run(query.formatted(", 'lookup.refresh-interval' = '0 s'")))
        .hasStackTraceContaining(
            "table default_catalog.default_database.t cannot be followed: 'scan.follow' = 'true' reads the changes between versions, and new ones are not looked for; set 'lookup.refresh-interval' to more than 0");
  }
}
