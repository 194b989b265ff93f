package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.lookup.OpenReaders;
import java.nio.file.Path;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Joins with the row whose key is the floor or longest prefix, or has leading columns. */
@ExtendWith({SharedCluster.class, OpenReaders.class})
class OrderedLookupJoinTest {
  private static final String SHUFFLE = "/*+ LOOKUP('table'='g', 'shuffle'='true') */";

  @TempDir static Path directory;

  @BeforeAll
  static void build() throws Exception {
    OrderedTables tables = new OrderedTables(directory, "");
    tables.buildBlocks(4, "p");
    tables.buildPrices();
    tables.buildOperators();
  }

  private static Sql session(Sql session, String options) throws Exception {
    OrderedTables tables = new OrderedTables(directory, options);
    return session
        .numbers("s", 30)
        .run(tables.blocks())
        .run(tables.prices())
        .run(tables.operators());
  }

  private static Sql session(boolean async) throws Exception {
    return session(Sql.streaming(2), ", 'lookup.async' = '%s'".formatted(async));
  }

  /** NULL, gaps between blocks, below the first block. */
  @ParameterizedTest
  @CsvSource({"'', false", "'', true", "shuffle, false", "shuffle, true"})
  void leftJoinsTheBlockOfAnAddress(String hint, boolean async) throws Exception {
    Sql session = session(async);
    String query =
        """
        SELECT %s s.ip, g.ip, g.ip_from, g.place
        FROM (SELECT NULLIF(f0 * 9 - 117, 0) AS ip, pt FROM s) AS s
        LEFT JOIN geo FOR SYSTEM_TIME AS OF s.pt AS g ON g.ip = s.ip AND s.ip <= g.ip_to"""
            .formatted(hint.isEmpty() ? "" : SHUFFLE);

    assertThat(session.tables.explainSql(query))
        .contains("LookupJoin(table=[default_catalog.default_database.geo]")
        .contains("lookup=[ip=ip]")
        .contains("joinType=[LeftOuterJoin]")
        .contains(hint.isEmpty() ? "" : "shuffle=[true]")
        .matches(plan -> plan.contains("async=[") == async);
    assertThat(session.texts(query))
        .hasSize(30)
        .contains(
            "+I[null, null, null, null]",
            "+I[-117, null, null, null]",
            "+I[-108, null, null, null]",
            "+I[-99, -99, -100, p-100]",
            "+I[-63, null, null, null]",
            "+I[-9, -9, -10, p-10]",
            "+I[72, 72, 70, p70]",
            "+I[99, null, null, null]",
            "+I[144, null, null, null]");
  }

  @Tag("any-release")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void innerJoinsTheBlockOfAnAddress(boolean async) throws Exception {
    assertThat(
            session(async)
                .texts(
                    """
                    SELECT s.f0, g.place FROM s JOIN geo FOR SYSTEM_TIME AS OF s.pt AS g
                    ON g.ip = s.f0 AND s.f0 <= g.ip_to WHERE s.f0 > 13"""))
        .containsExactly(
            "+I[14, p10]",
            "+I[15, p10]",
            "+I[20, p20]",
            "+I[21, p20]",
            "+I[22, p20]",
            "+I[23, p20]",
            "+I[24, p20]",
            "+I[25, p20]");
  }

  private static final String ORDERS =
      "(SELECT f0, IF(MOD(f0, 2) = 0, 'bread', 'milk') AS item, CAST(TIMESTAMPADD(HOUR, CAST(f0 AS INT), TIMESTAMP '2026-01-01 00:00:00') AS TIMESTAMP(3)) AS order_time, pt FROM s WHERE f0 < 24)";

  /** Formats give times with more digits than their types have. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void joinsThePriceInForceAtATimeOfMicroseconds(boolean async) throws Exception {
    Sql session =
        session(async)
            .run(
                """
                CREATE TABLE o (item STRING, order_time TIMESTAMP(3), pt AS PROCTIME()) WITH (
                  'connector' = 'lines', 'format' = 'json',
                  'lines' = '{"item": "milk", "order_time": "2026-01-01 05:00:00.000456"}
                {"item": "milk", "order_time": "2026-01-01 04:59:59.999999"}')""");
    assertThat(
            session.texts(
                """
                SELECT p.price FROM o LEFT JOIN prices FOR SYSTEM_TIME AS OF o.pt AS p
                ON p.item = o.item AND p.valid_at = o.order_time"""))
        .containsExactly("+I[1.05]", "+I[null]");
  }

  /** A price of another item is none. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void joinsThePriceInForce(boolean async) throws Exception {
    assertThat(
            session(async)
                .texts(
                    """
                    SELECT o.f0, p.price, p.valid_at FROM %s AS o
                    LEFT JOIN prices FOR SYSTEM_TIME AS OF o.pt AS p
                    ON p.item = o.item AND p.valid_at = o.order_time
                    WHERE o.f0 IN (3, 4, 5, 8, 10, 18, 19, 20, 22, 23)"""
                        .formatted(ORDERS)))
        .containsExactly(
            "+I[10, 2.10, 2026-01-01T10:00]",
            "+I[18, 2.10, 2026-01-01T18:00]",
            "+I[19, 1.05, 2026-01-01T19:00]",
            "+I[20, 2.20, 2026-01-01T20:00]",
            "+I[22, 2.20, 2026-01-01T22:00]",
            "+I[23, 1.05, 2026-01-01T23:00]",
            "+I[3, null, null]",
            "+I[4, null, null]",
            "+I[5, 1.05, 2026-01-01T05:00]",
            "+I[8, null, null]");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void joinsTheLongestPrefix(boolean async) throws Exception {
    assertThat(
            session(async)
                .texts(
                    """
                    SELECT s.dialled, c.number, c.operator
                    FROM (SELECT CAST(f0 * 55 AS STRING) AS dialled, pt FROM s WHERE f0 < 22) AS s
                    LEFT JOIN operators FOR SYSTEM_TIME AS OF s.pt AS c ON c.number = s.dialled
                    WHERE s.dialled IN ('0', '55', '110', '165', '1100', '1155')"""))
        .containsExactly(
            "+I[0, 0, operator 0]",
            "+I[110, 110, operator 110]",
            "+I[1100, 1100, operator 110]",
            "+I[1155, 1155, operator 11]",
            "+I[165, 165, operator 1]",
            "+I[55, null, null]");
  }

  @Tag("any-release")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void joinsAllRowsOfLeadingKeyColumns(boolean async) throws Exception {
    assertThat(
            session(async)
                .texts(
                    """
                    SELECT o.f0, p.price FROM (SELECT f0, IF(f0 = 0, 'bread', IF(f0 = 1, 'milk', 'none')) AS item, pt FROM s) AS o
                    LEFT JOIN prices FOR SYSTEM_TIME AS OF o.pt AS p ON p.item = o.item WHERE o.f0 < 3"""))
        .containsExactly("+I[0, 2.10]", "+I[0, 2.20]", "+I[1, 1.05]", "+I[2, null]");
  }

  /** Columns behind the leading ones, and outside the key. */
  @Tag("any-release")
  @Test
  void checksFurtherColumnsOfWhatLeadingColumnsFind() throws Exception {
    assertThat(
            session(false)
                .texts(
                    """
                    SELECT o.f0, p.valid_from FROM s AS o
                    JOIN prices FOR SYSTEM_TIME AS OF o.pt AS p
                    ON p.item = 'bread' AND p.price = CAST(2.20 AS DECIMAL(6, 2)) AND p.valid_from > TIMESTAMP '2026-01-01 01:00:00'
                    WHERE o.f0 = 7"""))
        .containsExactly("+I[7, 2026-01-01T20:00]");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void takesConstants(boolean async) throws Exception {
    assertThat(
            session(async)
                .texts(
                    """
                    SELECT o.f0, p.price, g.place FROM %s AS o
                    JOIN prices FOR SYSTEM_TIME AS OF o.pt AS p ON p.item = 'bread' AND p.valid_at = o.order_time
                    JOIN geo FOR SYSTEM_TIME AS OF o.pt AS g ON g.ip = CAST(23 AS BIGINT)
                    WHERE o.f0 IN (9, 11, 21)"""
                        .formatted(ORDERS)))
        .containsExactly("+I[11, 2.10, p20]", "+I[21, 2.20, p20]");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void looksUpInOneTableInSeveralWays(boolean async) throws Exception {
    assertThat(
            session(async)
                .texts(
                    """
                    SELECT s.dialled, p.operator, f.operator, k.operator
                    FROM (SELECT CAST(f0 * 55 AS STRING) AS dialled, pt FROM s WHERE f0 < 22) AS s
                    LEFT JOIN operators FOR SYSTEM_TIME AS OF s.pt AS p ON p.number = s.dialled
                    LEFT JOIN operators FOR SYSTEM_TIME AS OF s.pt AS f ON f.above = s.dialled
                    LEFT JOIN operators FOR SYSTEM_TIME AS OF s.pt AS k ON k.prefix = s.dialled
                    WHERE s.dialled IN ('0', '110', '165', '55')"""))
        .containsExactly(
            "+I[0, operator 0, operator 0, operator 0]",
            "+I[110, operator 110, operator 110, operator 110]",
            "+I[165, operator 1, operator 110, null]",
            "+I[55, null, operator 110, null]");
  }

  @Test
  void looksUpInBatchMode() throws Exception {
    assertThat(
            session(Sql.batch(2), "")
                .texts(
                    """
                    SELECT s.f0, g.place FROM s JOIN geo FOR SYSTEM_TIME AS OF s.pt AS g
                    ON g.ip = s.f0 AND g.place = 'p20' WHERE s.f0 > 27"""))
        .containsExactly("+I[28, p20]", "+I[29, p20]");
  }

  /**
   * Several rows of the left side, each with a key of its own, find the same row of the table: its
   * primary key is no key of the join's result.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void groupsByThePrimaryKey(boolean batch) throws Exception {
    Sql session = session(batch ? Sql.batch(2) : Sql.streaming(2), "");
    String query =
        """
        SELECT g.ip_from, COUNT(*) AS n
        FROM (SELECT f0, PROCTIME() AS pt FROM (SELECT DISTINCT f0 FROM s)) AS u
        JOIN geo FOR SYSTEM_TIME AS OF u.pt AS g ON g.ip = u.f0
        GROUP BY g.ip_from""";

    String plan = session.tables.explainSql(query);
    String above = plan.substring(plan.indexOf("== Optimized Execution Plan =="));
    assertThat(above.substring(0, above.indexOf("LookupJoin")))
        .contains("Aggregate(", "groupBy=[ip_from]");
    assertThat(session.texts(query)).contains("+I[0, 10]".replace("+I", batch ? "+I" : "+U"));
  }

  private static AbstractThrowableAssert<?, ?> assertFails(Sql session, String query) {
    return assertThatThrownBy(() -> session.texts(query));
  }

  @Tag("any-release")
  @Test
  void refusesToScanWhatALookupAsksFor() throws Exception {
    Sql session = session(Sql.batch(1), "");

    assertThat(session.texts("SELECT place FROM geo WHERE ip_from = 20"))
        .containsExactly("+I[p20]");
    assertFails(session, "SELECT * FROM geo")
        .hasStackTraceContaining(
            "the column METADATA FROM 'floor' of table default_catalog.default_database.geo cannot be scanned");
  }

  @Tag("any-release")
  @Test
  void refusesAFloorWithoutTheOtherKeyColumns() throws Exception {
    assertFails(
            session(false),
            "SELECT p.price FROM %s AS o JOIN prices FOR SYSTEM_TIME AS OF o.pt AS p ON p.valid_at = o.order_time"
                .formatted(ORDERS))
        .hasStackTraceContaining(
            "by METADATA FROM 'floor' must compare every other column of its primary key [item, valid_from] by '='; not compared: 'item' (STRING)");
  }

  @Tag("any-release")
  @Test
  void refusesAFloorThatIsSelectedAndNotCompared() throws Exception {
    assertFails(
            session(false),
            "SELECT g.* FROM s JOIN geo FOR SYSTEM_TIME AS OF s.pt AS g ON g.ip_from = s.f0")
        .hasStackTraceContaining("compare it by '=' in the join condition, or do not select it");
    assertFails(
            session(false),
            "SELECT c.operator FROM s JOIN operators FOR SYSTEM_TIME AS OF s.pt AS c ON c.number = CAST(s.f0 AS STRING) AND c.above = '1'")
        .hasStackTraceContaining("METADATA FROM 'floor' and 'longest-prefix'");
  }

  @Tag("any-release")
  @Test
  void refusesAFloorOfAnotherType() throws Exception {
    Sql session =
        session(false)
            .run(
                "CREATE TABLE g (ip_from BIGINT, place STRING, ip INT METADATA FROM 'floor' VIRTUAL, PRIMARY KEY (ip_from) NOT ENFORCED) WITH ('connector' = 'bsdb', 'path' = '%s')"
                    .formatted(directory.resolve("geo")));

    assertFails(
            session,
            "SELECT g.place FROM s JOIN g FOR SYSTEM_TIME AS OF s.pt ON g.ip = CAST(s.f0 AS INT)")
        .hasStackTraceContaining("declare it as BIGINT, which is the type of key column 'ip_from'");
  }

  @Tag("any-release")
  @Test
  void refusesALongestPrefixOfANumber() throws Exception {
    assertFails(
            session(false)
                .run(
                    "CREATE TABLE g (ip_from BIGINT, place STRING, ip BIGINT METADATA FROM 'longest-prefix' VIRTUAL, PRIMARY KEY (ip_from) NOT ENFORCED) WITH ('connector' = 'bsdb', 'path' = '%s')"
                        .formatted(directory.resolve("geo"))),
            "SELECT g.place FROM s JOIN g FOR SYSTEM_TIME AS OF s.pt ON g.ip = s.f0")
        .hasStackTraceContaining(
            "column METADATA FROM 'longest-prefix' of table default_catalog.default_database.g needs a last key column of text or bytes; 'ip_from' is BIGINT");
  }

  @Tag("any-release")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void refusesMoreRowsThanTheMaximum(boolean async) throws Exception {
    Sql session =
        session(
            Sql.streaming(1), ", 'lookup.max-rows' = '1', 'lookup.async' = '%s'".formatted(async));
    // Flink can hide why a task failed when its source ends at the same time.
    session.numbers("endless", Long.MAX_VALUE);
    assertFails(
            session,
            "SELECT p.price FROM endless AS s JOIN prices FOR SYSTEM_TIME AS OF s.pt AS p ON p.item = 'bread' WHERE s.f0 = 0")
        .hasStackTraceContaining(
            "by leading key columns finds more than 1 rows; compare more key columns, or raise 'lookup.max-rows'");
  }

  @Tag("any-release")
  @Test
  void refusesATableInHashOrder() throws Exception {
    Path hash = directory.resolve("hash");
    String ddl =
        "CREATE TABLE %s (a BIGINT, b BIGINT, v STRING, x BIGINT METADATA FROM 'floor' VIRTUAL, PRIMARY KEY (a, b) NOT ENFORCED) WITH ('connector' = 'bsdb', 'path' = '"
            + hash
            + "'%s)";
    Sql.batch(1)
        .run(ddl.formatted("h", ""))
        .run("INSERT OVERWRITE h VALUES (CAST(1 AS BIGINT), CAST(1 AS BIGINT), 'x')");
    Sql session =
        session(false)
            .run(ddl.formatted("h", ""))
            .run(ddl.formatted("k", ", 'sink.order' = 'key'"));

    assertFails(
            session,
            "SELECT h.v FROM s JOIN h FOR SYSTEM_TIME AS OF s.pt ON h.a = s.f0 AND h.x = s.f0")
        .hasStackTraceContaining("is not in the order of its key columns")
        .hasStackTraceContaining("METADATA FROM 'floor' needs; build it with 'sink.order' = 'key'");
    assertFails(session, "SELECT h.v FROM s JOIN h FOR SYSTEM_TIME AS OF s.pt ON h.a = s.f0")
        .hasStackTraceContaining("not compared: 'b' (BIGINT)")
        .hasStackTraceContaining("'sink.order' = 'key'");
    assertFails(session, "SELECT k.v FROM s JOIN k FOR SYSTEM_TIME AS OF s.pt ON k.a = s.f0")
        .hasStackTraceContaining("a lookup by leading key columns needs");
  }
}
