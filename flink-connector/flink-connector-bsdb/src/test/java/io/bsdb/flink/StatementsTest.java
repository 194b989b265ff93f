package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.StreamProgress;
import io.bsdb.testkit.InService;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.functions.ScalarFunction;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements that change a table row by row. */
@ExtendWith(SharedCluster.class)
class StatementsTest {
  static final String FIELD_OF_A_ROW = "MatchError: None";

  private static final String PARTIAL = "/*+ OPTIONS('sink.partial-update' = 'true') */";

  private static final String ROWS =
      "INSERT OVERWRITE t VALUES (1, 'a', 10, 'x'), (2, 'b', 20, 'y'), (3, 'c', 30, 'z')";

  /** Has the table, which each test gets a copy of. */
  @TempDir static Path built;

  @TempDir Path temporary;
  private Path directory;
  private String ddl;
  private Sql session;

  @BeforeAll
  static void build() throws Exception {
    Sql.batch(2).run(ddl(built, "")).run(ROWS);
  }

  @BeforeEach
  void copy() throws Exception {
    directory = temporary.resolve("t");
    Copies.copy(built, directory);
    open("");
  }

  private void build(String options) throws Exception {
    open(options);
    session.run(ROWS);
  }

  private void open(String options) throws Exception {
    ddl = ddl(options);
    session = Sql.batch(2).run(ddl);
    session.tables.createTemporarySystemFunction("meanwhile", Meanwhile.class);
  }

  private String ddl(String options) {
    return ddl(directory, options);
  }

  private static String ddl(Path directory, String options) {
    return """
    CREATE TABLE t (id BIGINT, name STRING, twice AS n * 2, n INT, place STRING, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '2'%s)\
    """
        .formatted(directory, options);
  }

  private List<String> rows() throws Exception {
    return session.texts("SELECT id, name, n, place FROM t");
  }

  @Test
  void refusesAnInsertThatWouldSetColumnsToNull() throws Exception {
    String version = InService.of(directory).version();
    String refused =
        "the statement writes some columns only, and would set [name, place] to NULL; name all columns, with NULL where that is meant, ";

    assertThatThrownBy(() -> session.run("INSERT INTO t (n, id) VALUES (1, 1)"))
        .hasStackTraceContaining(
            refused + "or let rows keep what they have: 'sink.partial-update' = 'true'");
    Sql streaming = Sql.streaming(1).run(ddl);
    streaming.env.enableCheckpointing(20);
    assertThatThrownBy(
            () -> streaming.run("INSERT INTO t %s (n, id) SELECT n, id FROM t".formatted(PARTIAL)))
        .hasStackTraceContaining(
            refused
                + "or let rows keep what they have, in a batch job: 'sink.partial-update' = 'true'");

    assertThat(InService.of(directory).version()).isEqualTo(version);
    session.run("INSERT OVERWRITE t (n, id) VALUES (1, 1)");
    assertThat(rows()).containsExactly("+I[1, null, 1, null]");
  }

  @Test
  void takesAllColumnsInAnyOrder() throws Exception {
    session.run("INSERT INTO t (place, n, id, name) VALUES ('w', 40, 4, 'd')");
    session.run("INSERT INTO t (id, name, n, place) VALUES (1, 'e', 50, CAST(NULL AS STRING))");

    assertThat(rows())
        .containsExactly(
            "+I[1, e, 50, null]", "+I[2, b, 20, y]", "+I[3, c, 30, z]", "+I[4, d, 40, w]");
  }

  @Test
  void keepsTheColumnsThatAnInsertDoesNotName() throws Exception {
    session.run(
        "INSERT INTO t %s (n, id) VALUES (11, 1), (40, 4), (CAST(NULL AS INT), 2)"
            .formatted(PARTIAL));
    session.run("INSERT INTO t %s (id, place) SELECT id, 'v' FROM t".formatted(PARTIAL));

    assertThat(rows())
        .containsExactly(
            "+I[1, a, 11, v]", "+I[2, b, null, v]", "+I[3, c, 30, v]", "+I[4, null, 40, v]");
    assertThat(session.texts("SELECT twice FROM t WHERE id = 1")).containsExactly("+I[22]");
  }

  @Test
  void updatesRows() throws Exception {
    session.run("UPDATE t SET n = n + 1, place = name WHERE n > 15");
    session.run("UPDATE t SET name = 'A' WHERE id = 1");
    session.run("UPDATE t SET name = 'none' WHERE id = 7");

    assertThat(rows()).containsExactly("+I[1, A, 10, x]", "+I[2, b, 21, b]", "+I[3, c, 31, c]");
    assertThat(InService.of(directory).changes().segments()).isNotEmpty();
    assertThat(session.tables.explainSql("UPDATE t SET name = 'A' WHERE id = 1"))
        .contains(
            """
            == Optimized Execution Plan ==
            Sink(table=[default_catalog.default_database.t], targetColumns=[[1]], fields=[id, name, n, place])
            +- Calc(select=[1 AS id, 'A' AS name, n, place], where=[(id = 1)])
               +- TableSourceScan(table=[[default_catalog, default_database, t, filter=[=(id, 1:BIGINT)], project=[id, n, place], metadata=[]]], fields=[id, n, place])
            """);
  }

  /** A table that a stream has filled does not look empty. */
  @Test
  void statisticsCountTheRowsOfChanges() throws Exception {
    session.run("INSERT INTO t VALUES (4, 'd', 40, 'w'), (5, 'e', 50, 'v')");
    session.run("DELETE FROM t WHERE id = 7");

    assertThat(session.tables.explainSql("SELECT name FROM t", ExplainDetail.ESTIMATED_COST))
        .contains("rowcount = 5.0");
  }

  @Test
  void refusesToUpdateTheKey() {
    assertThatThrownBy(() -> session.run("UPDATE t SET id = 4 WHERE id = 1"))
        .hasStackTraceContaining(
            "UPDATE cannot change column 'id' of the primary key; delete the row, and insert it with the other key");
  }

  @Test
  void deletesRows() throws Exception {
    session.run("DELETE FROM t WHERE n > 15 AND name <> 'c'");
    assertThat(rows()).containsExactly("+I[1, a, 10, x]", "+I[3, c, 30, z]");
    session.run("DELETE FROM t WHERE id IN (SELECT id FROM t WHERE n = 30)");
    assertThat(rows()).containsExactly("+I[1, a, 10, x]");
    assertThat(session.tables.explainSql("DELETE FROM t WHERE n > 15 AND name <> 'c'"))
        .contains(
            """
            == Optimized Execution Plan ==
            Sink(table=[default_catalog.default_database.t], fields=[id])
            +- Calc(select=[id], where=[((n > 15) AND (name <> 'c'))])
               +- TableSourceScan(table=[[default_catalog, default_database, t, filter=[], project=[id, name, n], metadata=[]]], fields=[id, name, n])
            """);
    session.run("DELETE FROM t");
    assertThat(rows()).isEmpty();
  }

  /** Flink fails where it converts such a condition for the table. */
  @Test
  void deletesByFieldsOfRowsInASubquery() throws Exception {
    session
        .run(
            "CREATE TABLE r (id BIGINT, f ROW<n INT>, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'bsdb', 'path' = '%s')"
                .formatted(temporary.resolve("r")))
        .run("INSERT OVERWRITE r VALUES (1, ROW(1)), (2, ROW(2))");

    assertThatThrownBy(() -> session.run("DELETE FROM r WHERE f.n = 1"))
        .hasStackTraceContaining(FIELD_OF_A_ROW);
    session.run("DELETE FROM r WHERE id IN (SELECT id FROM r WHERE f.n = 1)");

    assertThat(session.texts("SELECT * FROM r")).containsExactly("+I[2, +I[2]]");
  }

  @Test
  void deletesByKeyInTheClient() throws Exception {
    session.run("DELETE FROM t WHERE id = 2 OR id = 9");
    assertThat(session.tables.executeSql("DELETE FROM t WHERE id IN (1, 7)").getJobClient())
        .isEmpty();
    assertThat(rows()).containsExactly("+I[3, c, 30, z]");
  }

  /** Runs a statement, and another one once it has read a row. */
  private void runWith(String meanwhile, String statement) throws Exception {
    Meanwhile.NEXT.set(() -> Sql.batch(1).run(ddl).run(meanwhile));
    session.run(statement);
    assertThat(Meanwhile.NEXT).hasValue(null);
  }

  /** Runs a statement of the test in the middle of another one. */
  public static final class Meanwhile extends ScalarFunction {
    private static final long serialVersionUID = 1L;
    private static final AtomicReference<Callable<?>> NEXT = new AtomicReference<>();

    public Integer eval(Integer n) throws Exception {
      Callable<?> statement = NEXT.getAndSet(null);
      if (statement != null) {
        statement.call();
      }
      return n;
    }
  }

  @Tag("any-release")
  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void refusesToUndoWhatChangedMeanwhile(RecordOrder order) throws Exception {
    build(", 'sink.order' = '%s'".formatted(order));
    String refused =
        "the row of key {\"id\": 2} was changed after this statement read it: version read=%s version in service=";
    for (String statement :
        List.of(
            "UPDATE t SET n = meanwhile(n) + 1 WHERE id < 3",
            "DELETE FROM t WHERE meanwhile(n) < 25",
            "INSERT INTO t %s (id, n) SELECT id, meanwhile(n) FROM t".formatted(PARTIAL))) {
      String read = InService.of(directory).version();

      assertThatThrownBy(() -> runWith("DELETE FROM t WHERE id = 2", statement))
          .as(statement)
          .hasStackTraceContaining(refused.formatted(read))
          .hasStackTraceContaining("nothing was changed, run the statement again");

      assertThat(rows()).as(statement).containsExactly("+I[1, a, 10, x]", "+I[3, c, 30, z]");
      session.run("INSERT INTO t VALUES (2, 'b', 20, 'y')");
    }
    runWith("DELETE FROM t WHERE id = 3", "UPDATE t SET n = meanwhile(n) + 1 WHERE id < 3");
    assertThat(rows()).containsExactly("+I[1, a, 11, x]", "+I[2, b, 21, y]");
  }

  /** Declares the version in service as a table, and changes all rows. */
  private void changeAll() throws Exception {
    session.run(
        ddl(", 'snapshot.version' = '%s'".formatted(InService.of(directory).version()))
            .replace("TABLE t", "TABLE earlier"));
    session.run("INSERT INTO t VALUES (4, 'd', 40, 'w')").run("UPDATE t SET n = 0");
  }

  /** Rows read from a named version do not depend on later changes. */
  @Test
  void changesRowsByThoseOfAVersionThatIsNamed() throws Exception {
    changeAll();

    session.run("DELETE FROM t WHERE id NOT IN (SELECT id FROM earlier)");
    assertThat(rows()).containsExactly("+I[1, a, 0, x]", "+I[2, b, 0, y]", "+I[3, c, 0, z]");
    session.run(
        "UPDATE t SET n = (SELECT e.n FROM earlier AS e WHERE e.id = t.id) WHERE place <> 'x'");
    assertThat(rows()).containsExactly("+I[1, a, 0, x]", "+I[2, b, 20, y]", "+I[3, c, 30, z]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"all", "changes"})
  void replacesRowsByThoseOfAVersionThatIsNamed(String publish) throws Exception {
    changeAll();

    session.run(
        "INSERT OVERWRITE t /*+ OPTIONS('sink.publish' = '%s') */ SELECT id, name, n, place FROM earlier"
            .formatted(publish));

    assertThat(rows()).containsExactly("+I[1, a, 10, x]", "+I[2, b, 20, y]", "+I[3, c, 30, z]");
  }

  @Tag("any-release")
  @Test
  void refusesToChangeWhatWasRebuiltMeanwhile() throws Exception {
    build(", 'sink.min-rows' = '0'");

    String read = InService.of(directory).version();
    assertThatThrownBy(() -> runWith("TRUNCATE TABLE t", "UPDATE t SET n = meanwhile(n)"))
        .hasStackTraceContaining(
            "the changes after version %s cannot be identified".formatted(read))
        .hasStackTraceContaining("the table was rebuilt or rolled back");

    assertThat(rows()).isEmpty();
  }

  /** Deletes and kept columns find keys whose columns lie in another order than the key's. */
  @Test
  void findsKeysOfSeveralColumns() throws Exception {
    session
        .run(
            """
            CREATE TABLE k (a INT, v STRING, b STRING, w INT, PRIMARY KEY (b, a) NOT ENFORCED)
            WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '2', 'sink.order' = 'key')"""
                .formatted(directory.resolve("k")))
        .run(
            "INSERT OVERWRITE k VALUES (1, 'v', 'x', 1), (2, 'v', 'x', 2), (3, 'v', 'x', 3), (1, 'v', 'y', 4)");

    session.run("DELETE FROM k WHERE b = 'x' AND a IN (1, 7)");
    session.run("DELETE FROM k WHERE w = 2");
    session.run("INSERT INTO k %s (a, v, b) VALUES (3, 'u', 'x')".formatted(PARTIAL));
    session.run("UPDATE k SET w = a * 10 WHERE b = 'y'");

    assertThat(session.texts("SELECT b, a, v, w FROM k"))
        .containsExactly("+I[x, 3, u, 3]", "+I[y, 1, v, 10]");
  }

  @ParameterizedTest
  @EnumSource(RecordOrder.class)
  void truncatesWhereAnEmptyTableIsAllowed(RecordOrder order) throws Exception {
    build(", 'sink.order' = '%s'".formatted(order));
    assertThatThrownBy(() -> session.run("TRUNCATE TABLE t"))
        .hasStackTraceContaining(
            "if that is right, lower 'sink.min-rows', to 0 for an empty table");
    assertThat(rows()).hasSize(3);

    Sql.batch(1)
        .run(ddl(", 'sink.order' = '%s', 'sink.min-rows' = '0'".formatted(order)))
        .run("INSERT INTO t VALUES (5, 'e', 50, 'u')")
        .run("TRUNCATE TABLE t");

    assertThat(rows()).isEmpty();
    assertThat(InService.of(directory).hasChanges()).isFalse();
    assertThat(InService.of(directory).recordCount()).isZero();
    session.run("INSERT INTO t VALUES (6, 'f', 60, 's')");
    assertThat(rows()).containsExactly("+I[6, f, 60, s]");
  }

  @Tag("any-release")
  @Test
  void saysWhyATableIsNotTruncated() throws Exception {
    StreamProgress progress = new StreamProgress(new StreamProgress.Checkpoint(new UUID(1, 2), 3));
    Table.at(directory)
        .edit(
            manifest ->
                manifest.with(
                    manifest.partitions(),
                    manifest.sourcePositions(),
                    manifest.changes().with("cdc", progress)));

    Sql empties = Sql.batch(1).run(ddl(", 'sink.min-rows' = '0'"));
    assertThatThrownBy(() -> empties.run("TRUNCATE TABLE t"))
        .hasStackTraceContaining(
            ".t cannot be truncated: a table into which a stream is written cannot be replaced");

    assertThat(rows()).hasSize(3);
  }

  @Test
  void statementsAreOfBatchJobs() throws Exception {
    Sql streaming = Sql.streaming(1).run(ddl);
    for (String statement :
        List.of(
            "DELETE FROM t WHERE n = 1",
            "DELETE FROM t WHERE id = 1",
            "UPDATE t SET n = 1",
            "TRUNCATE TABLE t")) {
      assertThatThrownBy(() -> streaming.run(statement))
          .as(statement)
          .hasStackTraceContaining("stream");
    }
    assertThat(rows()).hasSize(3);
  }
}
