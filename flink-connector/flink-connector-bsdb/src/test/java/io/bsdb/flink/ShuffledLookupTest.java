package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.reader.options.KeyShare;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.flink.table.functions.ScalarFunction;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith({SharedCluster.class, OpenReaders.class})
class ShuffledLookupTest {
  private static final Set<KeyShare> SHARES = ConcurrentHashMap.newKeySet();

  @TempDir static Path directory;
  @TempDir static Path names;

  /** Notes which shares are open while rows flow. */
  public static final class Note extends ScalarFunction {
    private static final long serialVersionUID = 1L;

    public Long eval(Long id) {
      SHARES.addAll(OpenReaders.shares());
      return id;
    }

    @Override
    public boolean isDeterministic() {
      return false;
    }
  }

  private static String ddl(String name, String key, String options) {
    return """
        CREATE TABLE %s (region STRING, id BIGINT, name STRING, PRIMARY KEY (%s) NOT ENFORCED)
        WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '6'%s)"""
        .formatted(name, key, directory, options);
  }

  @BeforeAll
  static void build() throws Exception {
    Sql.batch(2)
        .numbers("source", 1_000)
        .run(ddl("t", "id, region", ""))
        .run(
            "INSERT OVERWRITE t SELECT IF(MOD(f0, 2) = 0, 'even', 'odd'), f0, 'name ' || CAST(f0 AS STRING) FROM source");
  }

  @BeforeEach
  void forget() {
    SHARES.clear();
  }

  private static List<String> join(Sql session, String key, String hint, String options)
      throws Exception {
    session.tables.createTemporarySystemFunction("note", Note.class);
    return session
        .numbers("s", 1_100)
        .run(ddl("t", key, options))
        .texts(
            """
            SELECT %s note(s.f0), t.name FROM (
              SELECT f0, NULLIF(f0, 33) AS k, IF(MOD(f0, 3) = 0, 'odd', 'even') AS region, pt FROM s) AS s
            LEFT JOIN t FOR SYSTEM_TIME AS OF s.pt ON t.region = s.region AND t.id = s.k"""
                .formatted(hint));
  }

  private static final String SHUFFLE = "/*+ LOOKUP('table'='t', 'shuffle'='true') */";

  @ParameterizedTest
  @CsvSource({"1, false", "2, false", "4, false", "2, true"})
  void eachSubtaskOpensItsShareAndFindsTheSame(int parallelism, boolean async) throws Exception {
    String options = ", 'lookup.async' = '%s'".formatted(async);
    List<String> plain = join(Sql.streaming(parallelism), "id, region", "", options);
    assertThat(SHARES).containsExactly(KeyShare.ALL);
    assertThat(plain).hasSize(1_100).contains("+I[2, name 2]", "+I[33, null]", "+I[1050, null]");
    SHARES.clear();

    List<String> shuffled = join(Sql.streaming(parallelism), "id, region", SHUFFLE, options);

    assertThat(shuffled).isEqualTo(plain);
    assertThat(SHARES)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, parallelism).mapToObj(i -> new KeyShare(i, parallelism)).toList());
  }

  private static String hint(String table) {
    return table.equals("-") ? "" : SHUFFLE.replace("'t'", "'%s'".formatted(table));
  }

  /** Flink asks one source object for both partitioners. */
  @ParameterizedTest
  @CsvSource({"b, -", "-, a", "b, a"})
  void twoJoinsWithOneTableHaveTheirOwnShares(String outer, String inner) throws Exception {
    String ddl =
        """
        CREATE TABLE n (name STRING, id BIGINT, PRIMARY KEY (id) NOT ENFORCED)
        WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '6')"""
            .formatted(names);
    Sql.batch(1)
        .numbers("source", 101)
        .run(ddl)
        .run("INSERT OVERWRITE n SELECT 'name ' || CAST(f0 AS STRING), f0 FROM source");

    List<String> rows =
        Sql.streaming(2)
            .numbers("s", 100)
            .run(ddl)
            .texts(
                """
                SELECT %s s.id, s.name, b.id, b.name FROM (
                  SELECT %s a.id, a.name, s.f0 + 1 AS follower, s.pt
                  FROM s JOIN n FOR SYSTEM_TIME AS OF s.pt AS a ON a.id = s.f0) AS s
                JOIN n FOR SYSTEM_TIME AS OF s.pt AS b
                ON b.id = s.follower AND b.name = 'name ' || CAST(s.follower AS STRING)"""
                    .formatted(hint(outer), hint(inner)));

    assertThat(rows)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 100)
                .mapToObj(i -> "+I[%d, name %d, %d, name %d]".formatted(i, i, i + 1, i + 1))
                .toList());
  }

  @Tag("any-release")
  @Test
  void opensAllWhenTheDdlOrdersTheKeyDifferently() throws Exception {
    List<String> shuffled = join(Sql.streaming(2), "region, id", SHUFFLE, "");

    assertThat(shuffled).hasSize(1_100).contains("+I[2, name 2]", "+I[33, null]", "+I[1050, null]");
    assertThat(SHARES).contains(KeyShare.ALL);
  }

  /** Flink then shuffles changes anew, by their own key. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void opensAllWhereAsynchronousLookupsKeepTheOrderOfChanges(boolean ordered) throws Exception {
    Sql session =
        Sql.streaming(4).numbers("s", 100).run(ddl("t", "id, region", ", 'lookup.async' = 'true'"));
    session
        .tables
        .getConfig()
        .set("table.exec.async-lookup.key-ordered-enabled", Boolean.toString(ordered))
        .set("table.exec.async-lookup.output-mode", "ALLOW_UNORDERED");
    session.tables.createTemporarySystemFunction("note", Note.class);

    List<String> rows =
        session.texts(
            """
            SELECT %s note(s.id), t.name FROM (
              SELECT k, id, 'even' AS region, PROCTIME() AS pt FROM (
                SELECT MOD(f0, 10) AS k, 2 * MAX(f0) AS id FROM s GROUP BY MOD(f0, 10))) AS s
            JOIN t FOR SYSTEM_TIME AS OF s.pt ON t.region = s.region AND t.id = s.id"""
                .formatted(SHUFFLE));

    assertThat(rows).anyMatch(row -> row.endsWith("[198, name 198]"));
    if (ordered) {
      assertThat(SHARES).containsExactly(KeyShare.ALL);
    } else {
      assertThat(SHARES).doesNotContain(KeyShare.ALL);
    }
  }

  @Test
  void opensAllInBatchMode() throws Exception {
    List<String> shuffled = join(Sql.batch(2), "id, region", SHUFFLE, "");

    assertThat(shuffled).hasSize(1_100).contains("+I[2, name 2]", "+I[33, null]", "+I[1050, null]");
    assertThat(SHARES).containsExactly(KeyShare.ALL);
  }
}
