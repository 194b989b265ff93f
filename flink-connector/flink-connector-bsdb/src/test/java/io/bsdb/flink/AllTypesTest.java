package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every type goes into a table by INSERT OVERWRITE and comes back out of a lookup join. */
@ExtendWith(SharedCluster.class)
class AllTypesTest {
  @TempDir Path directory;

  private String with() {
    return " WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '2')"
        .formatted(directory);
  }

  /**
   * Inserts what {@code source} selects (f0 and so on, of the numbers 0 to 3) and expects to look
   * the same up.
   */
  private void assertComesBack(Sql session, String columns, String source) throws Exception {
    session.run(
        "CREATE TABLE t (id BIGINT, %s, PRIMARY KEY (id) NOT ENFORCED)%s"
            .formatted(columns, with()));
    session.run("INSERT OVERWRITE t " + source);

    List<Row> looked =
        session.query("SELECT d.* FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0");

    assertThat(looked).hasSize(3).containsExactlyInAnyOrderElementsOf(session.query(source));
  }

  @Test
  void scalars() throws Exception {
    assertComesBack(
        Sql.batch(1).numbers("s", 4),
        """
        a CHAR(5), b VARCHAR(20), c STRING, d BOOLEAN, e BINARY(3), f VARBINARY(9), g BYTES,
        h DECIMAL(10, 2), i DECIMAL(38, 10), j TINYINT, k SMALLINT, l INT, m BIGINT, n FLOAT, o DOUBLE,
        p DATE, q TIME, r TIMESTAMP(3), s TIMESTAMP(9), u TIMESTAMP_LTZ(3), v TIMESTAMP_LTZ(6), w INT NOT NULL,
        x STRING NOT NULL""",
        """
        SELECT f0,
          CAST('äbc' || CAST(f0 AS STRING) AS CHAR(5)), CAST('vär' AS VARCHAR(20)), NULLIF('s' || CAST(f0 AS STRING), 's1'),
          NULLIF(f0 = 0, FALSE), CAST(X'010203' AS BINARY(3)), CAST(X'00FF' AS VARBINARY(9)), CAST(X'' AS BYTES),
          CAST(f0 - 1.25 AS DECIMAL(10, 2)), CAST('-1234567890123456789012345678.0123456789' AS DECIMAL(38, 10)),
          CAST(-f0 AS TINYINT), CAST(f0 - 32768 AS SMALLINT), CAST(NULLIF(f0, 1) AS INT), NULLIF(f0, 0) * 1000000000000,
          CAST(f0 / 3.0 AS FLOAT), CAST(-f0 / 7.0 AS DOUBLE),
          DATE '1969-12-31', TIME '23:59:59', TIMESTAMP '1900-01-01 00:00:00.123', CAST(TIMESTAMP '2024-02-29 12:34:56.123456789' AS TIMESTAMP(9)),
          TO_TIMESTAMP_LTZ(f0 - 1, 3), CAST(TO_TIMESTAMP_LTZ(1700000000123, 3) AS TIMESTAMP_LTZ(6)), CAST(f0 AS INT), 'x'
        FROM s WHERE f0 < 3""");
  }

  @Test
  void nested() throws Exception {
    assertComesBack(
        Sql.batch(1).numbers("s", 4),
        """
        a ARRAY<STRING>, b ARRAY<INT NOT NULL>, c ARRAY<ARRAY<DOUBLE>>, d MAP<STRING, BIGINT>,
        e ROW<x INT, y STRING, z ROW<deep BOOLEAN>>, g ARRAY<ROW<k STRING, v DECIMAL(30, 3)>>,
        h MAP<STRING, ARRAY<TIMESTAMP(9)>>, i ARRAY<BYTES>, j ROW<m MAP<INT, DATE>>""",
        """
        SELECT f0, ARRAY['a', NULLIF('b', 'b'), CAST(f0 AS STRING)], ARRAY[CAST(f0 AS INT), -1],
          ARRAY[ARRAY[CAST(1 AS DOUBLE)], CAST(NULL AS ARRAY<DOUBLE>)], NULLIF(MAP['a', f0, 'b', 2], MAP['a', CAST(1 AS BIGINT), 'b', 2]),
          CAST(ROW(1, NULLIF('y', 'y'), ROW(f0 = 1)) AS ROW<x INT, y STRING, z ROW<deep BOOLEAN>>),
          ARRAY[CAST(ROW('k', 1.5) AS ROW<k STRING, v DECIMAL(30, 3)>)],
          MAP['t', ARRAY[CAST(TIMESTAMP '2024-02-29 12:34:56.123456789' AS TIMESTAMP(9))]], ARRAY[CAST(X'01' AS BYTES), CAST(X'' AS BYTES)],
          CAST(ROW(MAP[1, DATE '2024-01-01']) AS ROW<m MAP<INT, DATE>>)
        FROM s WHERE f0 < 3""");
  }

  /** Flink's code for them casts to classes of its own, so it has to copy maps first. */
  @Test
  void subscriptsOfMaps() throws Exception {
    Sql session =
        Sql.batch(1)
            .numbers("s", 2)
            .run(
                """
                CREATE TABLE t (id BIGINT, m MAP<STRING, BIGINT>, b MAP<BYTES, ROW<n MAP<INT, STRING>>>,
                  PRIMARY KEY (id) NOT ENFORCED)"""
                    + with())
            .run(
                """
                INSERT OVERWRITE t SELECT f0, MAP['a', f0, 'b', CAST(NULL AS BIGINT)],
                  MAP[CAST(X'01' AS BYTES), CAST(ROW(MAP[7, 'seven']) AS ROW<n MAP<INT, STRING>>)] FROM s""");

    assertThat(
            session.texts("SELECT id, m['a'], m['b'], m['c'], b[CAST(X'01' AS BYTES)].n[7] FROM t"))
        .containsExactly("+I[0, 0, null, null, seven]", "+I[1, 1, null, null, seven]");
    assertThat(
            session.texts(
                "SELECT d.id FROM s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d ON d.id = s.f0 WHERE d.m['a'] = 1"))
        .containsExactly("+I[1]");
    assertThat(
            session.texts(
                """
                SELECT s.f0, d.id FROM s LEFT JOIN t FOR SYSTEM_TIME AS OF s.pt AS d
                ON d.id = s.f0 AND d.m['a'] > s.f0 - s.f0 AND d.b[CAST(X'01' AS BYTES)].n[7] <> CAST(s.f0 AS STRING)"""))
        .containsExactly("+I[0, null]", "+I[1, 1]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"MULTISET<STRING>", "VARIANT", "ARRAY<VARIANT>"})
  void refusesTypesThatTablesDoNotHave(String type) throws Exception {
    Sql session = Sql.batch(1);
    session.run(
        "CREATE TABLE t (id BIGINT, c " + type + ", PRIMARY KEY (id) NOT ENFORCED)" + with());

    assertThatThrownBy(() -> session.texts("SELECT * FROM t"))
        .hasStackTraceContaining("column 'c': type ")
        .hasStackTraceContaining("cannot be stored in a table; cast it to another type");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "STRING; 'ключ' || CAST(f0 AS STRING)",
        "BIGINT; f0 - 1",
        "DECIMAL(10, 3); CAST(f0 - 1.5 AS DECIMAL(10, 3))",
      })
  void keys(String type, String expression) throws Exception {
    assertKeysMatch(List.of(type), List.of(expression));
  }

  @Test
  void compositeKeyOfAllTypes() throws Exception {
    List<String> types = new ArrayList<>();
    List<String> expressions = new ArrayList<>();
    String[][] columns = {
      {"CHAR(2)", "CAST('k' || CAST(f0 AS STRING) AS CHAR(2))"},
      {"STRING", "'ключ' || CAST(f0 AS STRING)"},
      {"BOOLEAN", "f0 = 1"},
      {"BINARY(2)", "CAST(ENCODE('k' || CAST(f0 AS STRING), 'UTF-8') AS BINARY(2))"},
      {"BYTES", "ENCODE(CAST(f0 AS STRING), 'UTF-8')"},
      {"DECIMAL(10, 3)", "CAST(f0 - 1.5 AS DECIMAL(10, 3))"},
      {"DECIMAL(38, 10)", "CAST(f0 * -12345678901234567.5 AS DECIMAL(38, 10))"},
      {"TINYINT", "CAST(f0 - 1 AS TINYINT)"},
      {"SMALLINT", "CAST(f0 - 1 AS SMALLINT)"},
      {"INT", "CAST(f0 - 1 AS INT)"},
      {"BIGINT", "f0 - 1"},
      {"FLOAT", "CAST(f0 - 0.5 AS FLOAT)"},
      {"DOUBLE", "CAST(f0 - 0.5 AS DOUBLE)"},
      {"DATE", "CAST(TIMESTAMPADD(DAY, CAST(f0 AS INT), DATE '1969-12-31') AS DATE)"},
      {
        "TIME",
        "CAST(TIMESTAMPADD(SECOND, CAST(f0 AS INT), TIMESTAMP '1969-12-31 23:59:58.001') AS TIME)"
      },
      {
        "TIMESTAMP(3)", "TIMESTAMPADD(SECOND, CAST(f0 AS INT), TIMESTAMP '1969-12-31 23:59:59.001')"
      },
      {
        "TIMESTAMP(9)",
        "CAST(TIMESTAMPADD(SECOND, CAST(f0 AS INT), TIMESTAMP '1969-12-31 23:59:59.001') AS TIMESTAMP(9))"
      },
      {"TIMESTAMP_LTZ(3)", "TO_TIMESTAMP_LTZ(f0 - 1, 3)"},
    };
    for (String[] column : columns) {
      types.add(column[0]);
      expressions.add(column[1]);
    }
    assertKeysMatch(types, expressions);
  }

  private void assertKeysMatch(List<String> types, List<String> expressions) throws Exception {
    List<String> declared = new ArrayList<>();
    List<String> names = new ArrayList<>();
    List<String> selected = new ArrayList<>();
    List<String> compared = new ArrayList<>();
    for (int i = 0; i < types.size(); i++) {
      String name = "k" + i;
      names.add(name);
      declared.add(name + " " + types.get(i));
      selected.add(expressions.get(i) + " AS " + name);
      compared.add("d.%s = s.%s".formatted(name, name));
    }
    List<String> rows =
        Sql.batch(1)
            .numbers("s", 4)
            .run(
                "CREATE TABLE t (id BIGINT, %s, PRIMARY KEY (%s) NOT ENFORCED)%s"
                    .formatted(String.join(", ", declared), String.join(", ", names), with()))
            .run(
                "INSERT OVERWRITE t SELECT f0, %s FROM s WHERE f0 < 2"
                    .formatted(String.join(", ", selected)))
            .texts(
                "SELECT s.f0, d.id, %s FROM (SELECT f0, %s, pt FROM s WHERE f0 < 2) AS s JOIN t FOR SYSTEM_TIME AS OF s.pt AS d ON %s"
                    .formatted(
                        String.join(" AND ", compared),
                        String.join(", ", selected),
                        String.join(" AND ", compared)));

    assertThat(rows).containsExactly("+I[0, 0, true]", "+I[1, 1, true]");
  }
}
