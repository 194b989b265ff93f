package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.reader.options.KeyShare;
import io.bsdb.row.KeyWriter;
import io.bsdb.row.Schema;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries that name the keys of the rows that they want, or want no row but their number. */
@ExtendWith({SharedCluster.class, OpenReaders.class})
class KeyScanTest {
  private static final int PARTITIONS = 16;

  @TempDir Path directory;

  private Sql open(Sql session, String options) throws Exception {
    return session
        .numbers("s", 1_000)
        .run(
            """
            CREATE TABLE t (id BIGINT, name STRING, score INT, PRIMARY KEY (id) NOT ENFORCED)
            WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '%d'%s)"""
                .formatted(directory.resolve("t"), PARTITIONS, options));
  }

  private Sql build(String options) throws Exception {
    return open(Sql.batch(2), options)
        .run(
            "INSERT OVERWRITE t SELECT f0, 'name ' || CAST(f0 AS STRING), CAST(MOD(f0, 10) AS INT) FROM s");
  }

  /** Leaves the partitions that hold rows, and deletes the others. */
  private void keepPartitionsOf(long... ids) throws IOException {
    Table table = Table.at(directory.resolve("t"));
    Manifest manifest = table.manifest(table.requireCurrentVersion());
    Schema schema = Objects.requireNonNull(manifest.schema());
    List<Integer> kept =
        LongStream.of(ids)
            .mapToObj(id -> KeyWriter.of(schema).reset().writeLong(id).toBytes())
            .map(key -> KeyShare.indexOf(key, PARTITIONS))
            .toList();
    Path version = directory.resolve("t/snapshots").resolve(manifest.version());
    for (int partition = 0; partition < PARTITIONS; partition++) {
      if (!kept.contains(partition)) {
        Files.delete(version.resolve(manifest.partitions().get(partition).name()));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ", 'lookup.local-dir' = '%s'"})
  void readsOnlyThePartitionsOfTheKeys(String copies) throws Exception {
    String options = copies.formatted(directory.resolve("copies"));
    build(options);
    keepPartitionsOf(7, 77, 2_000);

    Sql session = open(Sql.batch(2), options);
    assertThat(session.texts("SELECT * FROM t WHERE id = 7")).containsExactly("+I[7, name 7, 7]");
    assertThat(session.texts("SELECT name FROM t WHERE 77 = id AND score > 3"))
        .containsExactly("+I[name 77]");
    assertThat(session.texts("SELECT score FROM t WHERE id = 7 AND score = 8")).isEmpty();
    assertThat(session.texts("SELECT score FROM t WHERE id = 2000")).isEmpty();
    assertThat(
            open(Sql.streaming(2), options)
                .texts("SELECT name FROM t WHERE id IN (7, 77, 2000, 7) OR id = 77"))
        .containsExactly("+I[name 77]", "+I[name 7]");
    assertThatThrownBy(() -> session.texts("SELECT * FROM t")).isNotNull();
  }

  @Test
  void tellsFiltersOfOneQueryApart() throws Exception {
    Sql session = build("");

    assertThat(
            session.texts(
                """
                SELECT name FROM t WHERE id = 1 UNION ALL SELECT name FROM t WHERE id = 2
                UNION ALL SELECT name FROM t WHERE id IN (3, 4)
                UNION ALL SELECT name FROM t WHERE score = 5 AND id < 10"""))
        .containsExactly("+I[name 1]", "+I[name 2]", "+I[name 3]", "+I[name 4]", "+I[name 5]");
    assertThat(
            session.texts(
                """
                SELECT a.name, b.name FROM (SELECT * FROM t WHERE id = 1) AS a
                JOIN (SELECT * FROM t WHERE id = 2) AS b ON a.score + 1 = b.score"""))
        .containsExactly("+I[name 1, name 2]");
  }

  /** Flink leaves what a lookup source accepts out of the plan's digest (FLINK-36808). */
  @Test
  void tellsFiltersOfLookupsApart() throws Exception {
    build("");
    String branch =
        "SELECT s.f0, d.name FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0 WHERE %s";
    List<String> conditions = List.of("d.id = 1", "d.id = 2", "d.id IN (3, 4)", "d.score = 5");

    List<String> rows =
        open(Sql.streaming(2), "")
            .texts(
                String.join(" UNION ALL ", conditions.stream().map(branch::formatted).toList())
                    + " AND s.f0 < 10");

    assertThat(rows)
        .containsExactly(
            "+I[1, name 1]", "+I[2, name 2]", "+I[3, name 3]", "+I[4, name 4]", "+I[5, name 5]");
  }

  @Test
  void takesOnlyFiltersThatNameKeys() throws Exception {
    Sql session = build("");

    assertThat(session.tables.explainSql("SELECT name FROM t WHERE id = 1 AND score = 2"))
        .contains("filter=[=(id, 1:BIGINT)]");
    for (String condition :
        List.of(
            "id > 1", "score = 1", "id = 1 OR score = 1", "id <> 1", "id = score", "name = 'x'")) {
      assertThat(session.tables.explainSql("SELECT name FROM t WHERE " + condition))
          .as(condition)
          .contains("filter=[]");
    }
    assertThat(
            session.tables.explainSql("SELECT t.name FROM s JOIN t ON t.id = s.f0 WHERE t.id = 1"))
        .contains("filter=[=(id, 1:BIGINT)]");
  }

  @Test
  void readsByKeysOfSeveralColumnsInAnyOrder() throws Exception {
    String columns =
        "s STRING, n INT, d DATE, m DECIMAL(10, 2), ts TIMESTAMP(3), ltz TIMESTAMP_LTZ(3), b BOOLEAN, x VARBINARY(9), ti TIME, small TINYINT, v BIGINT";
    String ddl =
        "CREATE TABLE %s (%s, PRIMARY KEY (%s) NOT ENFORCED) WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '4')";
    Path place = directory.resolve("k");
    Sql session = Sql.batch(1).numbers("numbers", 4);
    session.tables.getConfig().setLocalTimeZone(ZoneOffset.UTC);
    session
        .run(ddl.formatted("built", columns, "s, n, d, m, ts, ltz, b, x, ti, small", place))
        .run(ddl.formatted("other", columns, "small, ti, x, b, ltz, ts, m, d, n, s", place))
        .run(
            """
            INSERT OVERWRITE built
            SELECT 'ab', CAST(f0 AS INT), DATE '2026-11-20', 1.5, TIMESTAMP '2026-11-20 08:30:00.5',
              TO_TIMESTAMP_LTZ(1500, 3), f0 < 2, x'0102', TIME '08:30:00', CAST(5 AS TINYINT), f0
            FROM numbers""");
    String condition =
        """
        WHERE s = 'ab' AND n IN (1, 2) AND d = DATE '2026-11-20' AND m = 1.5
        AND ts = TIMESTAMP '2026-11-20 08:30:00.5' AND ltz = TO_TIMESTAMP_LTZ(1500, 3)
        AND b AND x = x'0102' AND ti = TIME '08:30:00' AND small = CAST(5 AS TINYINT)""";

    for (String table : List.of("built", "other")) {
      String query = "SELECT v FROM " + table + " " + condition;
      assertThat(session.tables.explainSql(query)).doesNotContain("filter=[]");
      assertThat(session.texts(query)).containsExactly("+I[1]");
      assertThat(session.texts(query.replace("AND b ", "AND NOT b "))).containsExactly("+I[2]");
      assertThat(session.tables.explainSql(query.replace("AND b ", ""))).contains("filter=[]");
      assertThat(session.texts(query.replace("'ab'", "'a'"))).isEmpty();
      assertThat(session.texts(query.replace("m = 1.5", "m = 123456789.5"))).isEmpty();
    }
  }

  /** Constants have a type by their digits, which need not be that of the column. */
  @Test
  void readsByKeysOfOtherTypesOfNumbers() throws Exception {
    Sql session =
        Sql.batch(1)
            .run(
                "CREATE TABLE n (s BIGINT, d DECIMAL(5, 2), v INT, PRIMARY KEY (s, d) NOT ENFORCED) WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.order' = 'key')"
                    .formatted(directory.resolve("n")))
            .run(
                "INSERT OVERWRITE n SELECT s, CAST(d AS DECIMAL(5, 2)), v FROM (VALUES (1, 2.5, 1), (1, 3.0, 2), (2, 3.0, 3)) AS r (s, d, v)");

    for (String condition :
        List.of("s = 1 AND d > 2.7", "s = 1 AND d = 3", "s = 1 AND d < 4 AND d > 2.50")) {
      assertThat(session.tables.explainSql("SELECT v FROM n WHERE " + condition))
          .as(condition)
          .contains("filter=[")
          .doesNotContain("filter=[]");
      assertThat(session.texts("SELECT v FROM n WHERE v <> 1 AND " + condition))
          .as(condition)
          .containsExactly("+I[2]");
    }
    for (String condition :
        List.of("s = 1 AND d = 3.5", "s = 1 AND d = 3.001", "s = 1 AND d = 12345")) {
      assertThat(session.texts("SELECT v FROM n WHERE " + condition)).as(condition).isEmpty();
    }
    session.run("DELETE FROM n WHERE s = 1 AND d = 3");
    assertThat(session.texts("SELECT v FROM n")).containsExactly("+I[1]", "+I[3]");
  }

  /** In keys that sort, zeros take two bytes each. */
  @Test
  void findsNothingByKeysThatAreTooLongForTheTable() throws Exception {
    String ddl =
        "CREATE TABLE %s (x BYTES, n INT, v INT, PRIMARY KEY (x, n) NOT ENFORCED) WITH ('connector' = 'bsdb', 'path' = '%s'%s)";
    Path place = directory.resolve("zeros");
    Sql session =
        Sql.batch(1)
            .run(ddl.formatted("built", place, ", 'sink.order' = 'key'"))
            .run(ddl.formatted("other", place, ""))
            .run("INSERT OVERWRITE built VALUES (X'00', 1, 2)");

    assertThat(session.texts("SELECT v FROM other WHERE x = X'00' AND n = 1"))
        .containsExactly("+I[2]");
    assertThat(
            session.texts(
                "SELECT v FROM other WHERE x = X'%s' AND n = 1".formatted("00".repeat(40_000))))
        .isEmpty();
  }

  /** −0 is the same key as 0. */
  @Test
  void readsByKeysOfFloatingPointNumbers() throws Exception {
    Sql session =
        Sql.batch(1)
            .numbers("n", 4)
            .run(
                "CREATE TABLE f (x DOUBLE, y FLOAT, v BIGINT, PRIMARY KEY (x, y) NOT ENFORCED) WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.order' = 'key')"
                    .formatted(directory.resolve("f")))
            .run(
                "INSERT OVERWRITE f SELECT CAST(f0 AS DOUBLE) * -1.0E0, CAST(f0 AS FLOAT) * CAST(-1 AS FLOAT), f0 FROM n");

    for (String condition :
        List.of("x = 0.0E0", "x = 0.0E0 AND y = CAST(0 AS FLOAT)", "x > -0.5E0 AND x <= 0.0E0")) {
      String query = "SELECT v FROM f WHERE " + condition;
      assertThat(session.tables.explainSql(query)).as(condition).doesNotContain("filter=[]");
      assertThat(session.texts(query)).as(condition).containsExactly("+I[0]");
    }
  }

  @Test
  void readsByKeyWhatCannotBeScanned() throws Exception {
    Sql session = build(", 'sink.keys' = 'omitted', 'sink.signature-bits' = '32'");

    assertThat(session.texts("SELECT * FROM t WHERE id = 7")).containsExactly("+I[7, name 7, 7]");
    assertThatThrownBy(() -> session.texts("SELECT * FROM t WHERE id > 7"))
        .hasStackTraceContaining("or compare all of these with constants");
  }

  @Test
  void countsRowsWithoutReadingThem() throws Exception {
    Sql session = build(", 'sink.keys' = 'omitted'");
    keepPartitionsOf();

    assertThat(session.texts("SELECT COUNT(*) FROM t")).containsExactly("+I[1000]");
    assertThat(session.texts("SELECT COUNT(*) + 1, COUNT(1), COUNT(id) FROM t"))
        .containsExactly("+I[1001, 1000, 1000]");
    for (String query :
        List.of(
            "SELECT COUNT(name) FROM t",
            "SELECT COUNT(*), MAX(score) FROM t",
            "SELECT COUNT(*) FROM t WHERE score = 1",
            "SELECT COUNT(*) FROM t WHERE id = 1",
            "SELECT COUNT(DISTINCT score) FROM t",
            "SELECT COUNT(*) FILTER (WHERE score = 1) FROM t",
            "SELECT score, COUNT(*) FROM t GROUP BY score")) {
      assertThat(session.tables.explainSql(query)).as(query).doesNotContain("aggregates=");
    }
  }

  /** Flink asks no source for numbers of rows in streaming mode. */
  @Test
  void countsRowsInStreams() throws Exception {
    build("");

    assertThat(open(Sql.streaming(2), "").texts("SELECT COUNT(*) FROM t")).contains("+U[1000]");
  }
}
