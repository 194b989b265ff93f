package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.flink.lookup.OpenReaders;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith({SharedCluster.class, OpenReaders.class})
class LookupJoinTest {
  private static final long ROWS = 2_000;

  @TempDir static Path directory;

  private static String ddl(String name) {
    return """
        CREATE TABLE %s (
          region STRING,
          name STRING,
          id BIGINT,
          score INT,
          PRIMARY KEY (id, region) NOT ENFORCED
        ) WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '5')"""
        .formatted(name, directory.resolve("t"));
  }

  @BeforeAll
  static void build() throws Exception {
    Sql.batch(2)
        .numbers("source", ROWS)
        .run(ddl("t"))
        .run(
            """
            INSERT OVERWRITE t
            SELECT IF(MOD(f0, 2) = 0, 'even', 'odd'), 'name ' || CAST(f0 AS STRING), f0, CAST(MOD(f0, 10) AS INT)
            FROM source""");
  }

  private static Sql session(int parallelism, long stream) throws Exception {
    return Sql.streaming(parallelism).numbers("s", stream).run(ddl("t"));
  }

  @ParameterizedTest
  @CsvSource({"1, false", "2, false", "4, false", "1, true", "4, true"})
  void enrichesEveryRow(int parallelism, boolean objectReuse) throws Exception {
    List<String> rows =
        session(parallelism, ROWS + 500)
            .reusingObjects(objectReuse)
            .texts(
                """
                SELECT s.f0, d.name, d.score FROM s
                LEFT JOIN t FOR SYSTEM_TIME AS OF s.pt AS d
                ON d.region = IF(MOD(s.f0, 2) = 0, 'even', 'odd') AND d.id = s.f0""");

    assertThat(rows)
        .containsExactlyInAnyOrderElementsOf(
            LongStream.range(0, ROWS + 500)
                .mapToObj(
                    i ->
                        i < ROWS
                            ? "+I[%d, name %d, %d]".formatted(i, i, i % 10)
                            : "+I[%d, null, null]".formatted(i))
                .toList());
  }

  @Test
  void enrichesInBatchMode() throws Exception {
    List<String> rows =
        Sql.batch(2)
            .numbers("s", 4)
            .run(ddl("t"))
            .texts(
                """
                SELECT s.f0, d.name FROM s
                JOIN t FOR SYSTEM_TIME AS OF s.pt AS d ON d.region = 'even' AND d.id = s.f0""");

    assertThat(rows).containsExactly("+I[0, name 0]", "+I[2, name 2]");
  }

  @Test
  void dropsRowsWithoutMatchFromInnerJoin() throws Exception {
    List<String> rows =
        session(2, 6)
            .texts(
                """
                SELECT d.id FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d
                ON d.id = s.f0 AND d.region = 'odd'""");

    assertThat(rows).containsExactly("+I[1]", "+I[3]", "+I[5]");
  }

  @Test
  void checksComparedColumnsOutsideTheKey() throws Exception {
    List<String> rows =
        session(2, 40)
            .texts(
                """
                SELECT s.f0, d.name FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d
                ON d.score = 5 AND d.name = 'name ' || CAST(s.f0 AS STRING) AND d.region = 'odd' AND d.id = s.f0""");

    assertThat(rows)
        .containsExactly("+I[15, name 15]", "+I[25, name 25]", "+I[35, name 35]", "+I[5, name 5]");
  }

  @Test
  void neverMatchesNull() throws Exception {
    List<String> rows =
        session(1, 4)
            .texts(
                """
                SELECT s.f0, d.name FROM (SELECT f0, NULLIF(f0, 2) AS k, pt FROM s) AS s
                LEFT JOIN t FOR SYSTEM_TIME AS OF s.pt AS d ON d.region = 'even' AND d.id = s.k""");

    assertThat(rows).containsExactly("+I[0, name 0]", "+I[1, null]", "+I[2, null]", "+I[3, null]");
  }

  /** Rows of the table wait in the state of the join behind, on the heap, not copied. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void rowsStayValidWhileStateKeepsThem(boolean objectReuse) throws Exception {
    List<String> rows =
        session(2, 300)
            .reusingObjects(objectReuse)
            .texts(
                """
                SELECT a.id, a.name, b.name FROM
                  (SELECT d.id, d.name FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d
                   ON d.id = s.f0 AND d.region = IF(MOD(s.f0, 2) = 0, 'even', 'odd')) AS a
                JOIN
                  (SELECT d.id, d.name FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d
                   ON d.id = s.f0 * 2 AND d.region = 'even') AS b
                ON b.id = a.id * 2""");

    assertThat(rows)
        .containsExactlyInAnyOrderElementsOf(
            LongStream.range(0, 300)
                .mapToObj(i -> "+I[%d, name %d, name %d]".formatted(i, i, 2 * i))
                .toList());
  }

  @Test
  void readsOnlyProjectedColumns() throws Exception {
    Sql session = session(1, 2);
    String query =
        "SELECT d.score FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d ON d.region = 'even' AND d.id = s.f0";

    assertThat(session.tables.explainSql(query))
        .contains("select=[f0, id, score]")
        .doesNotContain("name=");
    assertThat(session.texts(query)).containsExactly("+I[0]");
  }

  /** Flink mixes up the filters that a lookup source takes (FLINK-36808). */
  @Test
  void filtersTwoUsesOfOneTableApart() throws Exception {
    List<String> rows =
        session(2, 4)
            .texts(
                """
                SELECT 'a', d.id FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d
                ON d.region = 'even' AND d.id = s.f0 WHERE d.score > 1
                UNION ALL
                SELECT 'b', d.id FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d
                ON d.region = 'even' AND d.id = s.f0 WHERE d.score < 1""");

    assertThat(rows).containsExactly("+I[a, 2]", "+I[b, 0]");
  }

  @Test
  void looksUpDeclaredColumnsInAnyOrderAndNumber() throws Exception {
    List<String> rows =
        session(1, 2)
            .run(
                """
                CREATE TABLE narrow (score INT, id BIGINT, region STRING, PRIMARY KEY (region, id) NOT ENFORCED)
                WITH ('connector' = 'bsdb', 'path' = 'file:%s')"""
                    .formatted(directory.resolve("t")))
            .texts(
                """
                SELECT d.* FROM s JOIN narrow FOR SYSTEM_TIME AS OF s.pt AS d
                ON d.region = 'odd' AND d.id = s.f0""");

    assertThat(rows).containsExactly("+I[1, 1, odd]");
  }
}
