package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.table.Table;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Reading whole tables, one version or another, and what is known of them. */
@ExtendWith({SharedCluster.class, OpenReaders.class})
class ScanTest {
  private static final long ROWS = 1_000;

  @TempDir static Path directory;
  private static List<String> versions;

  private static String ddl(String name, String more, String... options) {
    return """
        CREATE TABLE %s (id BIGINT, name STRING, score INT%s, PRIMARY KEY (id) NOT ENFORCED)
        WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '5'%s)"""
        .formatted(
            name,
            more,
            directory.resolve("t"),
            options.length == 0 ? "" : ", " + String.join(", ", options));
  }

  @BeforeAll
  static void build() throws Exception {
    Sql session = Sql.batch(2).numbers("s", ROWS).run(ddl("t", ""));
    session.run("INSERT OVERWRITE t SELECT f0, 'old', 0 FROM s WHERE f0 < 10");
    session.run(
        "INSERT OVERWRITE t SELECT f0, 'name ' || CAST(f0 AS STRING), CAST(MOD(f0, 10) AS INT) FROM s");
    versions = Table.at(directory.resolve("t")).versions();
  }

  @Test
  void scansAllRowsInBatchMode() throws Exception {
    Sql session = Sql.batch(3).run(ddl("t", ""));

    assertThat(session.texts("SELECT COUNT(*), COUNT(DISTINCT id), SUM(score), MAX(name) FROM t"))
        .containsExactly("+I[1000, 1000, 4500, name 999]");
    assertThat(session.texts("SELECT COUNT(*) FROM t")).containsExactly("+I[1000]");
    assertThat(session.texts("SELECT score, id FROM t WHERE name = 'name 77'"))
        .containsExactly("+I[7, 77]");
  }

  /** Columns that are not projected are not decoded, so those that are must not depend on them. */
  @Tag("any-release")
  @Test
  void scansSomeColumnsOfRowsThatAreEncodedWithSymbols() throws Exception {
    Sql session =
        Sql.batch(2)
            .numbers("s", ROWS)
            .run(
                """
                CREATE TABLE e (id BIGINT, name STRING, score INT, town STRING, PRIMARY KEY (id) NOT ENFORCED)
                WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.layout' = 'symbols')"""
                    .formatted(directory.resolve("e")))
            .run(
                "INSERT OVERWRITE e SELECT f0, 'name ' || CAST(f0 AS STRING), 7, 'town ' || CAST(f0 AS STRING) FROM s");

    assertThat(session.texts("SELECT COUNT(DISTINCT town), MAX(town) FROM e"))
        .containsExactly("+I[1000, town 999]");
    assertThat(session.texts("SELECT town, score, name FROM e WHERE name LIKE '% 77'"))
        .containsExactly("+I[town 77, 7, name 77]");
    assertThat(session.texts("SELECT town FROM e WHERE id IN (5, 6)"))
        .containsExactlyInAnyOrder("+I[town 5]", "+I[town 6]");
    assertThat(session.texts("SELECT SUM(score), SUM(id) FROM e"))
        .containsExactly("+I[7000, 499500]");
  }

  @Test
  void scansAllRowsInStreamingMode() throws Exception {
    assertThat(Sql.streaming(2).run(ddl("t", "")).query("SELECT id FROM t"))
        .hasSize((int) ROWS)
        .doesNotHaveDuplicates();
  }

  /** However often Flink restarts jobs. */
  @Test
  @Timeout(120)
  void failsForGoodIfThereIsNoVersion() throws Exception {
    Sql session =
        Sql.streaming(1)
            .run(
                "CREATE TABLE nothing (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'bsdb', 'path' = '%s')"
                    .formatted(directory.resolve("nothing")))
            .restarting(Integer.MAX_VALUE);

    assertThatThrownBy(() -> session.texts("SELECT id FROM nothing"))
        .hasStackTraceContaining("cannot be scanned: path=" + directory.resolve("nothing"))
        .hasStackTraceContaining("no snapshot has been published here; build one");
  }

  @Test
  void tellsThePlannerHowManyRowsThereAre() throws Exception {
    Sql session =
        Sql.batch(1)
            .run(ddl("t", ""))
            .run(ddl("small", "", "'snapshot.version' = '%s'".formatted(versions.get(0))));

    assertThat(session.tables.explainSql("SELECT t.id FROM t JOIN small ON t.id = small.id"))
        .contains("build=[right]");
    assertThat(session.tables.explainSql("SELECT t.id FROM small JOIN t ON t.id = small.id"))
        .contains("build=[left]");
  }

  @Test
  void joinsTablesOfTheSamePathPinnedToDifferentVersions() throws Exception {
    List<String> rows =
        Sql.streaming(2)
            .numbers("s", 2)
            .run(ddl("older", "", "'snapshot.version' = '%s'".formatted(versions.get(0))))
            .run(ddl("newer", "", "'snapshot.version' = '%s'".formatted(versions.get(1))))
            .texts(
                """
                SELECT a.name, b.name FROM s
                JOIN older FOR SYSTEM_TIME AS OF s.pt AS a ON a.id = s.f0
                JOIN newer FOR SYSTEM_TIME AS OF s.pt AS b ON b.id = s.f0""");

    assertThat(rows).containsExactly("+I[old, name 0]", "+I[old, name 1]");
  }

  @Tag("any-release")
  @Test
  void scansThePinnedVersion() throws Exception {
    assertThat(
            Sql.batch(1)
                .run(ddl("t", "", "'snapshot.version' = '%s'".formatted(versions.get(0))))
                .texts("SELECT COUNT(*), MAX(name) FROM t"))
        .containsExactly("+I[10, old]");
  }

  @Tag("any-release")
  @Test
  void namesTheVersionsWhenThePinnedOneIsMissing() throws Exception {
    Sql session =
        Sql.streaming(1)
            .numbers("s", 1)
            .run(ddl("t", "", "'snapshot.version' = '0000000009-0a0b0c0d'"));

    assertThatThrownBy(
            () ->
                session.texts(
                    "SELECT d.name FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0"))
        .hasStackTraceContaining("no version 0000000009-0a0b0c0d; there are " + versions);
    assertThatThrownBy(() -> session.texts("SELECT * FROM t"))
        .hasStackTraceContaining("table default_catalog.default_database.t cannot be scanned")
        .hasStackTraceContaining("no version 0000000009-0a0b0c0d; there are " + versions);
  }

  @Test
  void readsMetadata() throws Exception {
    Sql session =
        Sql.streaming(1)
            .numbers("s", 1)
            .run(
                ddl(
                    "t",
                    ", version STRING METADATA FROM 'snapshot-version' VIRTUAL, built TIMESTAMP_LTZ(3) METADATA FROM 'snapshot-created-at' VIRTUAL"));

    List<Row> looked =
        session.query(
            "SELECT d.version, d.score, d.built FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0");
    List<Row> scanned = session.query("SELECT version, score, built FROM t WHERE id = 0");

    Table table = Table.at(directory.resolve("t"));
    assertThat(looked)
        .containsExactly(Row.of(versions.get(1), 0, table.manifest(versions.get(1)).createdAt()))
        .isEqualTo(scanned);
  }

  @Tag("any-release")
  @Test
  void comparesMetadata() throws Exception {
    Sql session =
        Sql.streaming(1)
            .numbers("s", 3)
            .run(
                ddl(
                    "t",
                    ", version STRING METADATA FROM 'snapshot-version' VIRTUAL, built TIMESTAMP_LTZ(3) METADATA FROM 'snapshot-created-at' VIRTUAL"));
    String query =
        """
        SELECT s.f0, d.name FROM (
          SELECT f0, pt, IF(f0 = 1, '%s', CAST(NULL AS STRING)) AS v, TO_TIMESTAMP_LTZ(%d, 3) AS t FROM s) AS s
        LEFT JOIN t FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0 AND %s""";
    long time =
        Table.at(directory.resolve("t")).manifest(versions.get(1)).createdAt().toEpochMilli();

    assertThat(session.texts(query.formatted(versions.get(1), time, "d.version = s.v")))
        .containsExactly("+I[0, null]", "+I[1, name 1]", "+I[2, null]");
    assertThat(session.texts(query.formatted(versions.get(1), time, "d.built = s.t")))
        .containsExactly("+I[0, name 0]", "+I[1, name 1]", "+I[2, name 2]");
    for (String condition : List.of("d.version = s.v", "d.built = s.t")) {
      assertThat(session.texts(query.formatted(versions.get(0), time - 1, condition)))
          .containsExactly("+I[0, null]", "+I[1, null]", "+I[2, null]");
    }
  }

  /** Such as one on a network drive. */
  @Tag("any-release")
  @Test
  void scansALocalTableWithADirectoryForCopiesPartitionByPartition(@TempDir Path copies)
      throws Exception {
    long bytes = Table.at(directory.resolve("t")).manifest(versions.get(1)).length();
    Sql session =
        Sql.batch(1)
            .run(
                ddl(
                    "t",
                    "",
                    "'lookup.local-dir' = '%s'".formatted(copies),
                    "'lookup.max-local-size' = '%d bytes'".formatted(bytes / 2)));

    assertThat(session.texts("SELECT COUNT(*), MAX(name) FROM t"))
        .containsExactly("+I[1000, name 999]");
    assertThat(copies).isEmptyDirectory();
  }

  @Tag("any-release")
  @Test
  void scansTablesWithoutKeysAsFarAsTheyGo() throws Exception {
    Path keyless = directory.resolve("keyless");
    Sql session =
        Sql.batch(1)
            .numbers("s", 10)
            .run(
                "CREATE TABLE keyless (id BIGINT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '1', 'sink.keys' = 'omitted')"
                    .formatted(keyless))
            .run("INSERT OVERWRITE keyless SELECT f0, f0 FROM s");

    assertThat(session.texts("SELECT SUM(n) FROM keyless")).containsExactly("+I[45]");
    assertThatThrownBy(() -> session.texts("SELECT id FROM keyless"))
        .hasStackTraceContaining(
            "does not know its primary key columns [id]; select other columns");
  }
}
