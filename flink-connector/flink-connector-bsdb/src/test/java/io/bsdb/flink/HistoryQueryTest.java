package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.compact.Compactor;
import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.table.manifest.Validity;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.InService;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.table.api.Schema;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A history that a batch job built: what queries and joins see of it, and the catalog. */
@Timeout(180)
@ExtendWith({SharedCluster.class, OpenReaders.class})
class HistoryQueryTest {
  private static final String ROWS =
      """
      VALUES ('bread', 2, TO_TIMESTAMP_LTZ(2000, 3), CAST(NULL AS BOOLEAN)), ('milk', 7, TO_TIMESTAMP_LTZ(-1500, 3), FALSE),
        ('bread', 1, TO_TIMESTAMP_LTZ(1000, 3), FALSE), ('bread', 0, TO_TIMESTAMP_LTZ(3000, 3), TRUE), ('salt', 0, TO_TIMESTAMP_LTZ(500, 3), TRUE)""";

  /** Has the history, which each test gets a copy of. */
  @TempDir static Path built;

  @TempDir Path temporary;
  private Path directory;
  private Sql session;

  @BeforeAll
  static void build() throws Exception {
    Sql.batch(2).run(Histories.ddl(built)).run("INSERT OVERWRITE prices " + ROWS);
  }

  @BeforeEach
  void copy() throws Exception {
    directory = temporary.resolve("prices");
    Copies.copy(built, directory);
    session = Sql.batch(2).numbers("n", 5).run(Histories.ddl(directory));
  }

  @Tag("any-release")
  @Test
  void holdsAllVersions() throws Exception {
    assertThat(Histories.versions(directory))
        .containsExactlyInAnyOrder(
            "milk -1500=7", "salt 500 ended", "bread 1000=1", "bread 2000=2", "bread 3000 ended");
    assertThat(InService.of(directory).validity()).isEqualTo(Validity.FOREVER);
  }

  /** The manifest counts ended rows, so rows are counted by reading them. */
  @Test
  void countsWhatIsThere() throws Exception {
    assertThat(InService.of(directory).recordCount()).isEqualTo(5);

    // With a column of what is asked for, Flink 2.2 reads that too.
    String ddl =
        Histories.ddl(directory)
            .replace("valid_at TIMESTAMP_LTZ(3) METADATA FROM 'floor' VIRTUAL,", "");
    String undeclared =
        ddl.replace("'history.retention' = 'forever', ", "").replace("ended BOOLEAN METADATA,", "");
    for (String declaration : List.of(ddl, undeclared)) {
      assertThat(Sql.batch(1).run(declaration).texts("SELECT COUNT(*) FROM prices"))
          .as(declaration)
          .containsExactly("+I[3]");
    }
  }

  @Tag("any-release")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "TRUE | +I[bread, 1, 1000, false], +I[bread, 2, 2000, false], +I[milk, 7, -1500, false]",
        "item = 'bread' | +I[bread, 1, 1000, false], +I[bread, 2, 2000, false]",
        "item = 'salt' | ''",
        "item = 'bread' AND changed_at >= TO_TIMESTAMP_LTZ(2000, 3) | +I[bread, 2, 2000, false]",
        "item = 'bread' AND changed_at = TO_TIMESTAMP_LTZ(3000, 3) | ''",
        "item = 'bread' AND changed_at = TO_TIMESTAMP_LTZ(1000, 3) | +I[bread, 1, 1000, false]"
      })
  void showsNoEnds(String condition, String rows) throws Exception {
    assertThat(
            String.join(
                ", ",
                session.texts(
                    "SELECT item, price, TIMESTAMPDIFF(SECOND, TO_TIMESTAMP_LTZ(0, 3), changed_at) * 1000 + EXTRACT(MILLISECOND FROM changed_at), ended FROM prices WHERE "
                        + condition)))
        .isEqualTo(rows);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void joinsWithWhatWasValid(boolean async) throws Exception {
    Sql streaming =
        Sql.streaming(2)
            .numbers("n", 5)
            .run(Histories.ddl(directory, ", 'lookup.async' = '%s'".formatted(async)));
    String orders = "(SELECT f0, TO_TIMESTAMP_LTZ(f0 * 1000 - 500, 3) AS ordered, pt FROM n) AS o";
    String join =
        " JOIN prices FOR SYSTEM_TIME AS OF o.pt AS p ON p.item = '%s' AND p.valid_at = o.ordered";

    assertThat(
            streaming.texts(
                "SELECT o.f0, p.price, p.ended FROM " + orders + " LEFT" + join.formatted("bread")))
        .containsExactly(
            "+I[0, null, null]",
            "+I[1, null, null]",
            "+I[2, 1, false]",
            "+I[3, 2, false]",
            "+I[4, null, null]");
    assertThat(streaming.texts("SELECT o.f0, p.price FROM " + orders + join.formatted("bread")))
        .containsExactly("+I[2, 1]", "+I[3, 2]");
    assertThat(streaming.texts("SELECT o.f0, p.price FROM " + orders + join.formatted("salt")))
        .isEmpty();
    assertThat(
            streaming.texts(
                "SELECT p.price FROM n JOIN prices FOR SYSTEM_TIME AS OF n.pt AS p ON p.item = 'bread' WHERE n.f0 = 0"))
        .containsExactly("+I[1]", "+I[2]");
  }

  @Tag("any-release")
  @Test
  void insertsOfABatchAreChanges() throws Exception {
    session.run(
        "INSERT INTO prices VALUES ('bread', 4, TO_TIMESTAMP_LTZ(4000, 3), FALSE), ('milk', 0, TO_TIMESTAMP_LTZ(-1500, 3), TRUE)");

    assertThat(InService.of(directory).hasChanges()).isTrue();
    assertThat(session.texts("SELECT item, price FROM prices"))
        .containsExactly("+I[bread, 1]", "+I[bread, 2]", "+I[bread, 4]");
  }

  @Tag("any-release")
  @Test
  void isBuiltOfTheCurrentRows() throws Exception {
    session.run(
        "INSERT OVERWRITE prices (item, price, changed_at) SELECT item, price, TO_TIMESTAMP_LTZ(0, 3) FROM (VALUES ('bread', 3), ('milk', 4)) AS t (item, price)");

    assertThat(Histories.versions(directory)).containsExactlyInAnyOrder("bread 0=3", "milk 0=4");
  }

  @Test
  void aCatalogDeclaresHistories() throws Exception {
    Path warehouse = directory.resolve("warehouse");
    session
        .run("CREATE CATALOG c WITH ('type' = 'bsdb', 'warehouse' = '%s')".formatted(warehouse))
        .run("CREATE DATABASE c.db")
        .run(
            """
            CREATE TABLE c.db.prices (item STRING, price INT, changed_at TIMESTAMP_LTZ(3), ended BOOLEAN METADATA,
              PRIMARY KEY (item, changed_at) NOT ENFORCED) WITH ('history.retention' = '30 d', 'sink.partitions' = '1')""")
        .run("CREATE TABLE c.db.copied LIKE c.db.prices");
    for (String name : List.of("prices", "copied")) {
      session.run("INSERT OVERWRITE c.db.%s ".formatted(name) + ROWS);

      assertThat(InService.of(warehouse.resolve("db/" + name)).validity())
          .isNotNull()
          .satisfies(validity -> assertThat(validity.retention()).isEqualTo(Duration.ofDays(30)));
      assertThat(Histories.versions(warehouse.resolve("db/" + name)))
          .as("replaced more than 30 days ago")
          .containsExactlyInAnyOrder("milk -1500=7", "salt 500 ended", "bread 3000 ended");
      assertThat(session.texts("SHOW CREATE TABLE c.db." + name).toString())
          .contains("`ended` BOOLEAN METADATA")
          .contains("'history.retention' = '30 d'");
    }
    assertThatThrownBy(
            () ->
                session.run(
                    "CREATE TABLE c.db.t (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('history.retention' = 'forever')"))
        .hasStackTraceContaining("a table with a history needs a primary key of two columns");
  }

  /** Options of lookups in the table do not keep anybody from reading its versions. */
  @Test
  void aCatalogShowsVersionsOfATableThatLookupsWaitFor() throws Exception {
    session
        .run(
            "CREATE CATALOG c WITH ('type' = 'bsdb', 'warehouse' = '%s')"
                .formatted(directory.resolve("warehouse")))
        .run("CREATE DATABASE c.db")
        .run(
            """
            CREATE TABLE c.db.prices (item STRING, price INT, changed_at TIMESTAMP_LTZ(3),
              PRIMARY KEY (item, changed_at) NOT ENFORCED)""")
        .run("INSERT INTO c.db.prices VALUES ('bread', 1, TO_TIMESTAMP_LTZ(1000, 3))")
        .run(
            "ALTER TABLE c.db.prices SET ('history.retention' = 'forever', 'lookup.wait-for-source-time' = '30 s', 'lookup.before-horizon' = 'fail')")
        .run(
            "INSERT OVERWRITE c.db.prices VALUES ('bread', 2, TO_TIMESTAMP_LTZ(CAST(2000 AS BIGINT), 3))");

    for (int version : new int[] {1, 2}) {
      assertThat(session.texts("SELECT item, price FROM c.db.`prices$v%d`".formatted(version)))
          .containsExactly("+I[bread, %d]".formatted(version));
    }
  }

  @Tag("any-release")
  @Test
  void anotherRetentionCountsFromTheNextStatementOn() throws Exception {
    session = Sql.batch(1).run(Histories.ddl(directory).replace("'4'", "'1'"));
    session.run("INSERT OVERWRITE prices " + ROWS);
    session.run("ALTER TABLE prices SET ('history.retention' = '7 d')");
    assertThat(InService.of(directory).validity()).isEqualTo(Validity.FOREVER);

    session.run("INSERT INTO prices VALUES ('bread', 4, TO_TIMESTAMP_LTZ(4000, 3), FALSE)");

    assertThat(InService.of(directory).validity())
        .isEqualTo(new Validity(Duration.ofDays(7), null));
    new Compactor(directory).run();
    assertThat(Histories.versions(directory))
        .containsExactlyInAnyOrder("milk -1500=7", "salt 500 ended", "bread 4000=4");
  }

  /** A table that nobody declared is a history if its version is one. */
  @Tag("any-release")
  @Test
  void aCatalogFindsHistories() throws Exception {
    Path warehouse = directory.resolve("warehouse");
    session
        .run(
            Histories.ddl(warehouse.resolve("db/found"))
                .replace("TABLE prices", "TABLE t")
                .replace("'forever'", "'36 h'"))
        .run("INSERT OVERWRITE t " + ROWS)
        .run("CREATE CATALOG c WITH ('type' = 'bsdb', 'warehouse' = '%s')".formatted(warehouse));

    assertThat(session.texts("SHOW CREATE TABLE c.db.found").toString())
        .contains("'history.retention' = '36 h'");
    session.run("INSERT INTO c.db.found VALUES ('bread', 9, TO_TIMESTAMP_LTZ(1000, 3))");
    assertThat(session.texts("SELECT price FROM c.db.found WHERE item = 'bread'"))
        .containsExactly("+I[2]", "+I[9]");
    assertThatThrownBy(() -> session.run("DELETE FROM c.db.found"))
        .hasStackTraceContaining("keeps a history, and DELETE is not supported");
  }

  @Tag("any-release")
  @Test
  void refusesLookupsBeforeTheHorizonIfAsked() throws Exception {
    session.run("ALTER TABLE prices SET ('history.retention' = '1 d')");
    session.run("INSERT OVERWRITE prices " + ROWS);
    String join =
        "SELECT p.price FROM n LEFT JOIN prices /*+ OPTIONS('lookup.before-horizon' = '%s') */"
            + " FOR SYSTEM_TIME AS OF n.pt AS p"
            + " ON p.item = 'bread' AND p.valid_at = TO_TIMESTAMP_LTZ(f0, 3)";

    assertThat(session.texts(join.formatted("answer"))).hasSize(5);
    assertThatThrownBy(() -> session.texts(join.formatted("fail")))
        .hasStackTraceContaining(
            "a lookup in table default_catalog.default_database.prices fails, as 'lookup.before-horizon' = 'fail': version=")
        .hasStackTraceContaining("rows that were valid at 1970-01-01T00:00:00")
        .hasStackTraceContaining("Z may have been dropped: the horizon of the history is ");
  }

  /** Orders that are looked up; the job is in this process. */
  private static final AtomicLong ORDERED = new AtomicLong();

  /** What waits is in the savepoint, and nobody's failure. */
  @Tag("any-release")
  @Test
  void aSavepointStopsAJobWhoseLookupsWait(@TempDir Path savepoints) throws Exception {
    Sql streaming =
        Sql.streaming(1)
            .run(Histories.ddl(directory, ", 'lookup.wait-for-source-time' = '100 s'"))
            .run("CREATE TABLE target (price INT) WITH ('connector' = 'blackhole')");
    ORDERED.set(0);
    streaming.tables.createTemporaryView(
        "orders",
        streaming.tables.fromDataStream(
            streaming
                .env
                .fromSource(
                    new DataGeneratorSource<>(
                        n -> n, 1000, RateLimiterStrategy.perSecond(20), Types.LONG),
                    WatermarkStrategy.noWatermarks(),
                    "orders")
                .map(
                    n -> {
                      ORDERED.incrementAndGet();
                      return n;
                    })
                .returns(Types.LONG),
            Schema.newBuilder().columnByExpression("pt", "PROCTIME()").build()));
    JobClient job =
        streaming.start(
            "INSERT INTO target SELECT p.price FROM orders AS o LEFT JOIN prices FOR SYSTEM_TIME AS OF o.pt AS p ON p.item = 'bread' AND p.valid_at = TO_TIMESTAMP_LTZ(o.f0, 3)");
    Await.until(
        () -> {
          assertThat(job.getJobStatus().get().isGloballyTerminalState()).isFalse();
          return ORDERED.get() >= 2; // then the first one waits
        });

    job.stopWithSavepoint(false, savepoints.toString(), SavepointFormatType.CANONICAL).get();

    assertThat(job.getJobExecutionResult().get().getJobID()).isEqualTo(job.getJobID());
    assertThat(job.getJobStatus().get()).isEqualTo(JobStatus.FINISHED);
  }
}
