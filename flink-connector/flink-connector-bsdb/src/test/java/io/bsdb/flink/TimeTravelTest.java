package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.table.Table;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code FOR SYSTEM_TIME AS OF} a constant. Flink would take two times of a table for the same, in
 * every phase of its planner, and forget the time where the table has an alias.
 */
class TimeTravelTest {
  @RegisterExtension
  static final MiniClusterExtension CLUSTER = new MiniClusterExtension(Sql.cluster());

  private static final String REFUSED =
      "Flink forgets the time of FOR SYSTEM_TIME AS OF behind an alias, in views, of temporary tables, and if it is no constant; write (SELECT * FROM t FOR SYSTEM_TIME AS OF";

  @TempDir Path warehouse;

  /** What {@code t} is {@code FOR SYSTEM_TIME AS OF}: its first version, and its second. */
  private final List<String> times = new ArrayList<>();

  @BeforeEach
  void build() throws Exception {
    Sql session =
        batch()
            .run(
                "CREATE TABLE t (id BIGINT, n INT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('sink.partitions' = '2')")
            .run("INSERT OVERWRITE t SELECT f0, 1, 'first' FROM numbers WHERE f0 < 10")
            .run("INSERT OVERWRITE t SELECT f0, 2, 'second' FROM numbers")
            .run("INSERT OVERWRITE t SELECT f0, 3, 'third' FROM numbers");
    assertThat(session.texts("SELECT MAX(name) FROM t")).containsExactly("+I[third]");
    times.add(time("t", 0));
    times.add(time("t", 1));
  }

  @AfterEach
  void closesReaders() {
    assertThat(OpenReaders.count()).isZero();
  }

  private Sql batch() throws Exception {
    return use(Sql.batch(2));
  }

  private Sql use(Sql session) throws Exception {
    session.tables.getConfig().setLocalTimeZone(ZoneOffset.UTC);
    return session
        .run("CREATE CATALOG c WITH ('type' = 'bsdb', 'warehouse' = '%s')".formatted(warehouse))
        .run("USE CATALOG c")
        .numbers("numbers", 100);
  }

  private String time(String table, int version) throws IOException {
    Table files = Table.at(warehouse.resolve("default").resolve(table));
    return asOf(files.manifest(files.versions().get(version)).createdAt());
  }

  private static String asOf(Instant time) {
    return "FOR SYSTEM_TIME AS OF TIMESTAMP '%s'"
        .formatted(LocalDateTime.ofInstant(time, ZoneOffset.UTC).toString().replace('T', ' '));
  }

  private String first() {
    return times.get(0);
  }

  private String second() {
    return times.get(1);
  }

  private static AbstractThrowableAssert<?, ?> assertFails(Sql session, String query) {
    return (AbstractThrowableAssert<?, ?>) assertThatThrownBy(() -> session.texts(query)).as(query);
  }

  @Test
  void readsTheVersionOfATime() throws Exception {
    for (Sql session : List.of(batch(), use(Sql.streaming(2)))) {
      assertThat(session.texts("SELECT * FROM t " + first() + " WHERE id = 7"))
          .containsExactly("+I[7, 1, first]");
      assertThat(session.texts("SELECT name, id FROM t " + second() + " WHERE id = 70"))
          .containsExactly("+I[second, 70]");
      assertThat(session.texts("SELECT n FROM t " + first() + " WHERE id = 70")).isEmpty();
    }
    assertThat(batch().texts("SELECT COUNT(*) FROM t " + first())).containsExactly("+I[10]");
    assertThat(
            batch()
                .texts(
                    "SELECT t.n FROM t /*+ OPTIONS('lookup.access'='DIRECT') */ "
                        + first()
                        + " WHERE t.id = 1"))
        .containsExactly("+I[1]");
  }

  @Test
  void tellsTimesOfOneQueryApart() throws Exception {
    for (String columns : List.of("*", "id", "name", "n, id", "COUNT(*)", "MAX(name)", "1")) {
      Sql session = batch();
      String one = "SELECT " + columns + " FROM t " + first();
      String other = "SELECT " + columns + " FROM t " + second();
      String current = "SELECT " + columns + " FROM t";
      List<String> expected = new ArrayList<>(session.texts(one));
      expected.addAll(session.texts(other));
      expected.addAll(session.texts(current));
      expected.sort(null);

      assertThat(session.texts("%s UNION ALL %s UNION ALL %s".formatted(one, other, current)))
          .as(columns)
          .containsExactlyElementsOf(expected);
    }
  }

  @Test
  void tellsTimesOfOneQueryApartInStreams() throws Exception {
    assertThat(
            use(Sql.streaming(2))
                .texts(
                    "SELECT name FROM t %s WHERE id = 3 UNION ALL SELECT name FROM t %s WHERE id = 3 UNION ALL SELECT name FROM t WHERE id = 3"
                        .formatted(first(), second())))
        .containsExactly("+I[first]", "+I[second]", "+I[third]");
  }

  @Test
  void joinsTimes() throws Exception {
    assertThat(
            batch()
                .texts(
                    """
                    SELECT a.name, b.name, c.name, a.n + b.n + c.n
                    FROM (SELECT * FROM t %s) AS a
                    JOIN (SELECT * FROM t %s) AS b ON a.id = b.id
                    JOIN t AS c ON c.id = a.id
                    WHERE a.id = 4"""
                        .formatted(first(), second())))
        .containsExactly("+I[first, second, third, 6]");
    assertThat(
            batch()
                .texts(
                    "SELECT DISTINCT t.name FROM numbers JOIN t %s ON t.id = f0"
                        .formatted(first())))
        .containsExactly("+I[first]");
    assertThat(
            batch()
                .texts(
                    "SELECT COUNT(*) FROM (SELECT id FROM t %s EXCEPT SELECT id FROM t %s)"
                        .formatted(second(), first())))
        .containsExactly("+I[90]");
  }

  /** A session with two tables to fill from {@code t}. */
  private Sql withTargets() throws Exception {
    return batch()
        .run("CREATE TABLE a (name STRING, n BIGINT, PRIMARY KEY (name) NOT ENFORCED)")
        .run("CREATE TABLE b (name STRING, n BIGINT, PRIMARY KEY (name) NOT ENFORCED)");
  }

  private static String countInto(String target, String time) {
    return "INSERT OVERWRITE %s SELECT name, COUNT(*) FROM t %s GROUP BY name"
        .formatted(target, time);
  }

  @Test
  void tellsTimesOfStatementsApart() throws Exception {
    Sql session = withTargets();
    StatementSet statements = session.tables.createStatementSet();
    statements.addInsertSql(countInto("a", first()));
    statements.addInsertSql(countInto("b", second()));
    statements.execute().await();

    assertThat(session.texts("SELECT * FROM a")).containsExactly("+I[first, 10]");
    assertThat(session.texts("SELECT * FROM b")).containsExactly("+I[second, 100]");
  }

  @Test
  void readsTablesOfKeysAlone() throws Exception {
    Sql session =
        batch()
            .run("CREATE TABLE k (x INT, id BIGINT, PRIMARY KEY (id, x) NOT ENFORCED)")
            .run("INSERT OVERWRITE k SELECT 1, f0 FROM numbers WHERE f0 < 2")
            .run("INSERT OVERWRITE k SELECT 2, f0 FROM numbers WHERE f0 < 2");
    assertThat(
            session.texts("SELECT * FROM k %s UNION ALL SELECT * FROM k".formatted(time("k", 0))))
        .containsExactly("+I[1, 0]", "+I[1, 1]", "+I[2, 0]", "+I[2, 1]");
  }

  @Test
  void readsNestedColumns() throws Exception {
    Sql session =
        batch()
            .run(
                "CREATE TABLE nested (id BIGINT, r ROW<n INT NOT NULL, texts ARRAY<STRING>>, m MAP<STRING NOT NULL, INT> NOT NULL, PRIMARY KEY (id) NOT ENFORCED)");
    for (String text : List.of("a", "b")) {
      session.run(
          "INSERT OVERWRITE nested SELECT f0, ROW(1, ARRAY['%1$s', CAST(NULL AS STRING)]), MAP['%1$s', 2] FROM numbers WHERE f0 = 7"
              .formatted(text));
    }
    assertThat(
            session.texts(
                "SELECT m, r.texts, id FROM nested %s UNION ALL SELECT m, r.texts, id FROM nested"
                    .formatted(time("nested", 0))))
        .containsExactly("+I[{a=2}, [a, null], 7]", "+I[{b=2}, [b, null], 7]");
  }

  @Test
  void readsPlainBytes() throws Exception {
    Path directory = warehouse.resolve("default").resolve("bytes");
    for (byte version = 1; version <= 2; version++) {
      try (SnapshotWriter writer = SnapshotWriter.create(directory, WriterOptions.defaults())) {
        writer.add(new byte[] {7}, new byte[] {version});
        writer.publish();
      }
    }
    assertThat(
            batch()
                .texts(
                    "SELECT * FROM `bytes` %s UNION ALL SELECT * FROM `bytes`"
                        .formatted(time("bytes", 0))))
        .containsExactly("+I[[7], [1]]", "+I[[7], [2]]");
  }

  @Test
  void refusesAliasesThatMakeFlinkForgetTheTime() throws Exception {
    for (Sql session : List.of(batch(), use(Sql.streaming(2)))) {
      for (String query :
          List.of(
              "SELECT * FROM t " + first() + " AS a",
              "SELECT a.name FROM t AS b JOIN t " + first() + " AS a ON a.id = b.id",
              "SELECT a.name FROM t " + first() + " AS a JOIN t AS b ON a.id = b.id",
              "SELECT * FROM t " + first() + " UNION ALL SELECT * FROM t " + second() + " a",
              "SELECT * FROM t " + first() + " AS a (i, n, m)")) {
        assertFails(session, query).hasStackTraceContaining(REFUSED);
      }
      assertThat(session.texts("SELECT name FROM t AS a WHERE id = 1"))
          .containsExactly("+I[third]");
      assertThat(
              session.texts(
                  "SELECT a.name FROM t /*+ OPTIONS('lookup.access'='DIRECT') */ "
                      + first()
                      + " AS a WHERE a.id = 1"))
          .containsExactly("+I[first]");
    }
  }

  /** Right up to the end these look like lookup joins. */
  @Test
  void refusesListsOfColumnsThatMakeFlinkForgetTheTime() throws Exception {
    for (Sql session : List.of(batch(), use(Sql.streaming(2)))) {
      for (String query :
          List.of(
              "SELECT a.y FROM numbers JOIN t " + first() + " AS a (x, y, z) ON a.x = f0",
              "SELECT a.y FROM numbers LEFT JOIN t " + first() + " AS a (x, y, z) ON a.x = f0",
              "SELECT a.y FROM numbers, t " + first() + " AS a (x, y, z) WHERE a.x = f0",
              "SELECT a.y FROM t " + first() + " AS a (x, y, z) JOIN numbers ON a.x = f0",
              "SELECT a.y, b.n FROM t AS b JOIN t " + first() + " AS a (x, y, z) ON a.x = b.id",
              "SELECT a.y, b.n FROM t " + first() + " AS a (x, y, z) JOIN t AS b ON a.x = b.id")) {
        assertFails(session, query).hasStackTraceContaining(REFUSED);
      }
    }
  }

  @Test
  void refusesTimesThatAreNoConstant() throws Exception {
    assertFails(batch(), "SELECT * FROM t FOR SYSTEM_TIME AS OF CURRENT_TIMESTAMP")
        .hasStackTraceContaining(REFUSED);
  }

  /** Flink tells no time of theirs to anyone. */
  @Test
  void refusesTemporaryTables() throws Exception {
    Sql session =
        batch()
            .run(
                "CREATE TEMPORARY TABLE x (id BIGINT, n INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'bsdb', 'path' = '%s')"
                    .formatted(warehouse.resolve("default/t")));
    assertThat(session.texts("SELECT n FROM x WHERE id = 1")).containsExactly("+I[3]");
    for (String alias : List.of("", " AS a", " AS a (i, n)")) {
      assertFails(session, "SELECT * FROM x " + first() + alias).hasStackTraceContaining(REFUSED);
      assertFails(session, "SELECT 1 FROM numbers, x " + first() + alias)
          .hasStackTraceContaining(REFUSED);
    }
  }

  @Test
  void showsAllColumnsWhereThoseOfMetadataAreLeftOut() throws Exception {
    Sql session = batch();
    session
        .tables
        .getConfig()
        .set("table.column-expansion-strategy", "EXCLUDE_ALIASED_VIRTUAL_METADATA_COLUMNS");
    assertThat(session.texts("SELECT * FROM t " + first() + " WHERE id = 1"))
        .containsExactly("+I[1, 1, first]");
  }

  /** Statements of a set are planned one after the other. */
  @Test
  void tellsVersionsOfOneTimeApart() throws Exception {
    Sql session = withTargets();
    String latest = "FOR SYSTEM_TIME AS OF TIMESTAMP '2099-01-01 00:00:00'";
    StatementSet statements = session.tables.createStatementSet();
    statements.addInsertSql(countInto("a", latest));
    session.run("INSERT OVERWRITE t SELECT f0, 4, 'fourth' FROM numbers WHERE f0 < 50");
    statements.addInsertSql(countInto("b", latest));
    statements.execute().await();

    assertThat(session.texts("SELECT * FROM a")).containsExactly("+I[third, 100]");
    assertThat(session.texts("SELECT * FROM b")).containsExactly("+I[fourth, 50]");
  }

  /** Flink gives each table of a view an alias. */
  @Test
  void refusesViews() throws Exception {
    Sql session =
        batch()
            .run("CREATE TEMPORARY VIEW v AS SELECT MAX(name) FROM t " + first())
            .run("CREATE TEMPORARY VIEW w AS SELECT MAX(name) FROM `t$v1`")
            .run("CREATE TEMPORARY VIEW p AS SELECT * FROM t");
    for (String alias : List.of("", " AS a", " AS a (id, n, name)")) {
      assertFails(session, "SELECT name FROM p " + first() + alias)
          .hasStackTraceContaining(REFUSED);
      assertFails(session, "SELECT 1 FROM numbers, p " + first() + alias)
          .hasStackTraceContaining(REFUSED);
    }
    assertFails(session, "SELECT * FROM v").hasStackTraceContaining(REFUSED);
    assertFails(session, "SELECT * FROM t JOIN v ON TRUE").hasStackTraceContaining(REFUSED);
    assertFails(
            session,
            "SELECT a.n, b.n FROM t AS b JOIN w ON TRUE JOIN t %s AS a ON a.id = b.id"
                .formatted(first()))
        .hasStackTraceContaining(REFUSED);
    assertThat(session.texts("SELECT * FROM w")).containsExactly("+I[first]");
  }

  @Test
  void looksUpWhatWasReadAtATimeBefore() throws Exception {
    Sql session = use(Sql.streaming(2));
    String lookup =
        "SELECT t.name FROM numbers AS s JOIN t FOR SYSTEM_TIME AS OF s.pt ON t.id = s.f0 WHERE s.f0 = 5";
    assertThat(session.texts("SELECT name FROM t " + first() + " WHERE id = 5"))
        .containsExactly("+I[first]");
    assertThat(session.texts(lookup)).containsExactly("+I[third]");
    String scan = "SELECT name FROM t WHERE id = 5";
    assertThat(session.texts(lookup + " UNION ALL " + scan))
        .containsExactly("+I[third]", "+I[third]");
    assertThat(session.texts(scan + " UNION ALL " + lookup))
        .containsExactly("+I[third]", "+I[third]");
    assertThat(session.texts("%s UNION ALL %s UNION ALL %s".formatted(lookup, scan, lookup)))
        .containsExactly("+I[third]", "+I[third]", "+I[third]");
    assertThat(
            session.texts(
                lookup + " UNION ALL SELECT name FROM t %s WHERE id = 5".formatted(first())))
        .containsExactly("+I[first]", "+I[third]");
  }

  @Test
  void refusesToForgetTheTimeOfATableThatIsAlsoLookedUp() throws Exception {
    String lookup =
        "SELECT t.name FROM numbers AS s JOIN t FOR SYSTEM_TIME AS OF s.pt ON t.id = s.f0";
    String forgotten =
        "SELECT a.name FROM numbers AS s JOIN t %s AS a ON a.id = s.f0".formatted(first());
    Sql session = use(Sql.streaming(2));
    for (String query :
        List.of(lookup + " UNION ALL " + forgotten, forgotten + " UNION ALL " + lookup)) {
      assertThat(session.texts("SELECT MAX(n) FROM t " + first())).contains("+I[1]");
      assertFails(session, query).hasStackTraceContaining(REFUSED);
    }
  }

  @Test
  void looksUpWithListsOfColumns() throws Exception {
    String lookup =
        "SELECT a.z FROM numbers AS s JOIN t FOR SYSTEM_TIME AS OF s.pt AS a (x, y, z) ON a.x = s.f0 WHERE s.f0 = 5";
    assertThat(use(Sql.streaming(2)).texts(lookup)).containsExactly("+I[third]");
  }

  @Test
  void looksUpThroughViews() throws Exception {
    Sql session = use(Sql.streaming(2)).run("CREATE TEMPORARY VIEW p AS SELECT id, name FROM t");
    String lookup =
        "SELECT p.name FROM numbers AS s JOIN p FOR SYSTEM_TIME AS OF s.pt ON p.id = s.f0 WHERE s.f0 = 5";
    assertThat(session.texts(lookup)).containsExactly("+I[third]");
    assertThat(session.texts("SELECT name FROM p WHERE id = 5 UNION ALL " + lookup))
        .containsExactly("+I[third]", "+I[third]");
  }

  /** Flink plans the query of a table before that around it. */
  @Test
  void scansWhatATableLooksUp() throws Exception {
    Sql session = use(Sql.streaming(2));
    session.tables.createTemporaryView(
        "looked_up",
        session.tables.sqlQuery(
            "SELECT t.name FROM numbers AS s JOIN t FOR SYSTEM_TIME AS OF s.pt ON t.id = s.f0 WHERE s.f0 = 5"));
    String scan = "SELECT name FROM t WHERE id = 5";
    String lookup = "SELECT name FROM looked_up";
    for (String query : List.of(scan + " UNION ALL " + lookup, lookup + " UNION ALL " + scan)) {
      assertThat(session.texts(query)).containsExactly("+I[third]", "+I[third]");
    }
  }

  /** What the planner knows of one statement is no reason to refuse the next. */
  @Test
  void scansWhatAnotherStatementLooksUp() throws Exception {
    Sql session = use(Sql.streaming(2));
    session.run("CREATE TEMPORARY TABLE target (name STRING) WITH ('connector' = 'blackhole')");
    String lookup =
        "INSERT INTO target SELECT t.name FROM numbers AS s JOIN t FOR SYSTEM_TIME AS OF s.pt ON t.id = s.f0";
    session.tables.createStatementSet().addInsertSql(lookup);
    assertThat(session.texts("SELECT name FROM t WHERE id = 5")).containsExactly("+I[third]");
    for (List<String> statements :
        List.of(
            List.of(lookup, "INSERT INTO target SELECT name FROM t"),
            List.of("INSERT INTO target SELECT name FROM t", lookup))) {
      StatementSet set = session.tables.createStatementSet();
      statements.forEach(set::addInsertSql);
      set.execute().await();
      session.run("EXECUTE STATEMENT SET BEGIN %s; END".formatted(String.join("; ", statements)));
    }
  }

  /** Plans are made without scans. */
  @Test
  void refusesToCompileWhatFlinkForgets() throws Exception {
    Sql session = use(Sql.streaming(2));
    session.run("CREATE TEMPORARY TABLE target (name STRING) WITH ('connector' = 'blackhole')");
    for (String alias : List.of(" AS a", " AS a (id, n, name)")) {
      String insert =
          "INSERT INTO target SELECT a.name FROM numbers JOIN t %s%s ON a.id = f0"
              .formatted(first(), alias);
      assertThatThrownBy(() -> session.tables.compilePlanSql(insert))
          .hasStackTraceContaining(REFUSED);
    }
  }

  @Test
  void refusesTimesThatNameNoVersion() throws Exception {
    Sql session = batch();
    Table files = Table.at(warehouse.resolve("default/t"));
    Instant oldest = files.manifest(files.versions().get(0)).createdAt();
    assertFails(session, "SELECT * FROM t " + asOf(oldest.minusMillis(1)))
        .hasStackTraceContaining("no version of table " + warehouse.resolve("default/t"))
        .hasStackTraceContaining("is as old as " + oldest.minusMillis(1));
    assertFails(session, "SELECT * FROM `t$v1` " + first())
        .hasStackTraceContaining(
            "c.default.t$v1 is of one version already; leave out FOR SYSTEM_TIME AS OF");
    assertFails(session, "SELECT * FROM nowhere " + first())
        .hasStackTraceContaining("Object 'nowhere' not found");
  }
}
