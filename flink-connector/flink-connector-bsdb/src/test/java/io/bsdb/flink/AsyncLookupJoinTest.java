package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.lookup.OpenReaders;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.PartitionFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.types.Row;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
@ExtendWith({SharedCluster.class, OpenReaders.class})
class AsyncLookupJoinTest {
  private static final long ROWS = 2_000;
  private static final String DAMAGE = "block checksum mismatch: file=";
  private static final String RETRY =
      "/*+ LOOKUP('table'='t', 'retry-predicate'='lookup_miss', 'retry-strategy'='fixed_delay', 'fixed-delay'='1 ms', 'max-attempts'='3'%s) */";
  private static final Queue<Row> OUTPUT = new ConcurrentLinkedQueue<>();

  @TempDir static Path directory;

  private static String ddl(Path path, String... options) {
    return """
        CREATE TABLE t (id BIGINT, name STRING, score INT, PRIMARY KEY (id) NOT ENFORCED)
        WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '4'%s)"""
        .formatted(path, options.length == 0 ? "" : ", " + String.join(", ", options));
  }

  @BeforeAll
  static void build() throws Exception {
    for (String table : List.of("sound", "damaged")) {
      Sql.batch(2)
          .numbers("source", ROWS)
          .run(ddl(directory.resolve(table)))
          .run(
              "INSERT OVERWRITE t SELECT f0, 'name ' || CAST(f0 AS STRING), CAST(MOD(f0, 10) AS INT) FROM source");
    }
    damage(directory.resolve("damaged"));
  }

  /** Flips a bit of a record in the first block of every partition file. */
  private static void damage(Path path) throws IOException {
    Table table = Table.at(path);
    String version = table.requireCurrentVersion();
    for (PartitionFile partition : table.manifest(version).partitions()) {
      Path file = path.resolve("snapshots").resolve(version).resolve(partition.name());
      byte[] bytes = Files.readAllBytes(file);
      bytes[4096 + 100] ^= 1;
      Files.write(file, bytes);
    }
  }

  private static Sql session(String table, String... options) throws Exception {
    OUTPUT.clear();
    return Sql.streaming(2).numbers("s", ROWS + 500).run(ddl(directory.resolve(table), options));
  }

  private static String join(String hint) {
    return "SELECT %s s.f0, t.name, t.score FROM s LEFT JOIN t FOR SYSTEM_TIME AS OF s.pt ON t.id = s.f0"
        .formatted(hint);
  }

  @ParameterizedTest
  @CsvSource({"ORDERED, false", "ALLOW_UNORDERED, false", "ALLOW_UNORDERED, true"})
  void enrichesEveryRow(String mode, boolean objectReuse) throws Exception {
    Sql session = session("sound", "'lookup.async' = 'true'").reusingObjects(objectReuse);
    String query =
        join("/*+ LOOKUP('table'='t', 'output-mode'='%s', 'capacity'='7') */".formatted(mode));

    assertThat(session.tables.explainSql(query))
        .contains("async=[" + (mode.equals("ORDERED") ? "ORDERED" : "UNORDERED"));
    assertThat(session.texts(query))
        .containsExactlyInAnyOrderElementsOf(
            LongStream.range(0, ROWS + 500)
                .mapToObj(
                    i ->
                        i < ROWS
                            ? "+I[%d, name %d, %d]".formatted(i, i, i % 10)
                            : "+I[%d, null, null]".formatted(i))
                .toList());
  }

  @ParameterizedTest
  @CsvSource({"mapped, false", "io_uring, false", "io_uring, true"})
  void checksComparedColumnsOutsideTheKey(String access, boolean objectReuse) throws Exception {
    assertThat(
            session("sound", "'lookup.async' = 'true'", "'lookup.access' = '%s'".formatted(access))
                .reusingObjects(objectReuse)
                .texts(
                    "SELECT t.id FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt ON t.id = s.f0 AND t.score = 7 AND t.name = 'name ' || CAST(s.f0 AS STRING) WHERE s.f0 < 30"))
        .containsExactly("+I[17]", "+I[27]", "+I[7]");
  }

  /** Flink copies them by serializers that all lookups of a task share. */
  @ParameterizedTest
  @CsvSource({"direct, false", "direct, true", "io_uring, false"})
  void givesEachRowItsArraysAndMaps(String access, boolean retries) throws Exception {
    int lookups = 4_000;
    String ddl =
        """
        CREATE TABLE n (id BIGINT, a ARRAY<STRING>, r ROW<m MAP<STRING, BIGINT>>, PRIMARY KEY (id) NOT ENFORCED)
        WITH ('connector' = 'bsdb', 'path' = '%s', 'lookup.async' = 'true', 'lookup.access' = '%s')"""
            .formatted(directory.resolve("nested " + access + retries), access);
    Sql.batch(1)
        .numbers("source", 100)
        .run(ddl)
        .run(
            """
            INSERT OVERWRITE n SELECT f0, CASE WHEN MOD(f0, 2) = 0 THEN ARRAY['a', CAST(f0 AS STRING)] ELSE ARRAY[CAST(f0 AS STRING)] END,
              ROW(MAP['m', f0]) FROM source""");

    List<String> rows =
        Sql.streaming(1)
            .numbers("s", lookups)
            .run(ddl)
            .texts(
                "SELECT %s s.f0, n.a, n.r.m['m'] FROM s JOIN n FOR SYSTEM_TIME AS OF s.pt ON n.id = MOD(s.f0, 100) AND n.id >= 0"
                    .formatted(retries ? RETRY.formatted("").replace("'t'", "'n'") : ""));

    assertThat(rows)
        .containsExactlyElementsOf(
            LongStream.range(0, lookups)
                .mapToObj(
                    i ->
                        "+I[%d, [%s%d], %d]"
                            .formatted(i, i % 2 == 0 ? "a, " : "", i % 100, i % 100))
                .sorted()
                .toList());
  }

  /** Has a state, as functions may that Flink calls in one thread. */
  public static final class Tenfold extends ScalarFunction {
    private static final long serialVersionUID = 1L;

    private long number;

    public long eval(long given) {
      number = given;
      LockSupport.parkNanos(1);
      return 10 * number;
    }
  }

  /** Flink shares the function among all lookups of a task. */
  @Test
  void callsFunctionsOfRowsOneAtATime() throws Exception {
    Sql session = session("sound", "'lookup.async' = 'true'", "'lookup.access' = 'direct'");
    session.tables.createTemporaryFunction("tenfold", Tenfold.class);

    assertThat(
            session.texts(
                "SELECT s.f0, t.id FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt ON t.id = s.f0 AND tenfold(t.id) = 10 * t.id"))
        .hasSize((int) ROWS);
  }

  @Test
  void retriesMisses() throws Exception {
    assertThat(
            session("sound", "'lookup.async' = 'true'")
                .texts(join(RETRY.formatted("")) + " WHERE s.f0 >= 1999 AND s.f0 < 2001"))
        .containsExactly("+I[1999, name 1999, 9]", "+I[2000, null, null]");
  }

  @Test
  void isSyncUnlessToldOtherwise() throws Exception {
    assertThat(session("sound").tables.explainSql(join(""))).doesNotContain("async=[");
    for (String access : List.of("mapped", "resident")) {
      assertThat(
              session(
                      "sound",
                      "'lookup.async' = 'true'",
                      "'lookup.access' = '%s'".formatted(access))
                  .tables
                  .explainSql(join("")))
          .doesNotContain("async=[");
    }
    assertThat(
            session("sound", "'lookup.async' = 'auto'", "'lookup.access' = 'direct'")
                .tables
                .explainSql(join("")))
        .contains("async=[");
    assertThat(
            session(
                    "sound",
                    "'lookup.async' = 'auto'",
                    "'lookup.access' = 'direct'",
                    "'lookup.block-cache-size' = '64 mb'")
                .tables
                .explainSql(join("")))
        .doesNotContain("async=[");
  }

  /** Whatever the plan looks like, no row that could not be read becomes one with NULLs. */
  private static void failsWithoutNulls(Sql session, String query, String... reasons)
      throws Exception {
    session
        .tables
        .toDataStream(session.tables.sqlQuery(query))
        .map(
            row -> {
              OUTPUT.add(row);
              return row.toString();
            })
        .sinkTo(new DiscardingSink<>());

    assertThatThrownBy(session.env::execute)
        .satisfies(e -> assertThat(ExceptionUtils.stringifyException(e)).containsAnyOf(reasons));
    assertThat(OUTPUT)
        .filteredOn(row -> row.<Long>getFieldAs(0) < ROWS)
        .allSatisfy(row -> assertThat(row.getField(1)).isNotNull());
  }

  @ParameterizedTest
  @ValueSource(strings = {"'lookup.async' = 'false'", "'lookup.async' = 'true'"})
  void failsWhenABlockIsDamaged(String async) throws Exception {
    failsWithoutNulls(session("damaged", async), join(""), DAMAGE);
  }

  @Test
  void warmingUpFindsADamagedBlockBeforeAnyRow() throws Exception {
    failsWithoutNulls(
        session("damaged", "'lookup.warm-up' = 'always'"), join(""), "cannot be opened");
    assertThat(OUTPUT).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"'lookup.async' = 'false'", "'lookup.async' = 'true'"})
  void failsWhenABlockIsDamagedAlsoWithTheRetryHint(String async) throws Exception {
    // Flink hears of the read's failure with the next row, or if none comes, when time is up.
    String late = async.contains("true") ? "Async function call has timed out" : DAMAGE;
    failsWithoutNulls(
        session("damaged", async), join(RETRY.formatted(", 'timeout'='5 s'")), DAMAGE, late);
  }

  @Test
  void failsWithTheRetryHintBehindAFilterOnTheTable() throws Exception {
    failsWithoutNulls(
        session("damaged", "'lookup.async' = 'true'"),
        "SELECT %s s.f0, t.name FROM s LEFT JOIN t FOR SYSTEM_TIME AS OF s.pt ON t.id = s.f0 AND t.name <> 'x' || CAST(s.f0 AS STRING)"
            .formatted(RETRY.formatted(", 'timeout'='20 s'")),
        DAMAGE);
  }
}
