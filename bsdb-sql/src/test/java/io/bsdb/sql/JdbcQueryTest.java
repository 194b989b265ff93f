package io.bsdb.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.row.Column;
import io.bsdb.row.Schema;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries that DuckDB answers over JDBC, in this process. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class JdbcQueryTest {
  private static final String ENDLESS = "SELECT i AS id FROM range(1000000000000) r(i)";
  private static final String WITHOUT_ROWS = ENDLESS + " WHERE hash(i) = 1 AND hash(i + 1) = 1";

  @AfterEach
  void clearInterrupt() {
    boolean unused = Thread.interrupted();
  }

  private static void read(String sql, Runnable atEachRow) throws IOException {
    read("jdbc:duckdb:", sql, atEachRow);
  }

  private static void read(String url, String sql, Runnable atEachRow) throws IOException {
    Properties properties = new Properties();
    properties.setProperty("jdbc_stream_results", "true");
    try (JdbcQuery query = JdbcQuery.open(url, properties, sql, List.of())) {
      query.read(
          Schema.of(query.columns(), List.of("id")),
          null,
          new RecordSink() {
            @Override
            public void add(byte[] bytes, int keyOffset, int keyLength, int valueLength, long row) {
              atEachRow.run();
            }

            @Override
            public void refuse(long row, String reason) {
              throw new AssertionError(row + ": " + reason);
            }
          });
    }
  }

  @Test
  void cancelsTheQueryIfItsReaderIsInterrupted() {
    Thread reader = Thread.currentThread();
    assertThatThrownBy(() -> read(ENDLESS, reader::interrupt))
        .isInstanceOf(InterruptedIOException.class)
        .hasMessage("interrupted while the query ran");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void cancelsAQueryThatHasNoRowYet() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> read(WITHOUT_ROWS, () -> {}))
        .isInstanceOf(InterruptedIOException.class);
  }

  @Test
  void cancelsTheQueryIfItsSinkFails() {
    RuntimeException failure = new IllegalStateException("full");
    assertThatThrownBy(
            () ->
                read(
                    ENDLESS,
                    () -> {
                      throw failure;
                    }))
        .isSameAs(failure);
  }

  @Test
  void saysWhichCellCannotBeRead() {
    String sql =
        "SELECT i AS id, CASE WHEN i = 1234 THEN TIME '24:00:00' END AS at FROM range(3000) r(i)";
    assertThatThrownBy(() -> read(sql, () -> {}))
        .isInstanceOf(QueryException.class)
        .hasMessageMatching(
            "row 1,235, column 'at': a value of type TIME cannot be read as TIME\\(3\\): "
                + ".*NanoOfDay.*; CAST the column in the query, or leave such rows out");
  }

  @Test
  void saysAfterWhichRowAQueryFailed() {
    String sql =
        "SELECT i AS id, CASE WHEN i = 500000 THEN error('no more') ELSE 'n' END AS name FROM range(1000000) r(i)";
    assertThatThrownBy(() -> read(sql, () -> {}))
        .isInstanceOf(QueryException.class)
        .hasMessageMatching("after row [0-9,]+: .*no more.*");
  }

  @Test
  void holdsFewLargeRows(@TempDir Path directory) throws Exception {
    String url = "jdbc:sqlite:" + directory.resolve("database");
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t (id INTEGER, large BLOB)");
      statement.execute(
          "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 50)"
              + " INSERT INTO t SELECT i, zeroblob(1000000) FROM r");
    }
    String failsAtTheLast =
        "SELECT * FROM t WHERE CASE id WHEN 50 THEN abs(-9223372036854775807 - 1) ELSE 1 END";
    AtomicInteger rows = new AtomicInteger();

    assertThatThrownBy(() -> read(url, failsAtTheLast, rows::incrementAndGet))
        .hasMessageContaining("after row 49: ");
    assertThat(rows).hasValueGreaterThanOrEqualTo(40);
  }

  /** The types of SQLite's columns do not limit their values. */
  @Test
  void cutsNoNumbersToTheirType(@TempDir Path directory) throws Exception {
    String url = "jdbc:sqlite:" + directory.resolve("database");
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE t (id INTEGER, small SMALLINT, r REAL)");
      statement.execute(
          "INSERT INTO t VALUES (1, 2, 0.1), (2, 70000, 0), (4294967297, 2, 0), (3, 2, 1234567.891),"
              + " (4, 1.5, 0), (5, 'x', 0), (6, 7, 'x'), (7, NULL, NULL)");
    }
    List<String> found;
    try (JdbcQuery query = JdbcQuery.open(url, new Properties(), "SELECT * FROM t", List.of())) {
      assertThat(query.columns())
          .containsExactly(
              Column.of("id", "BIGINT"), Column.of("small", "BIGINT"), Column.of("r", "DOUBLE"));
      Schema schema = Schema.of(query.columns(), List.of("id"));
      JsonRows rows = new JsonRows(schema);
      query.read(schema, null, rows);
      found = rows.rows();
    }
    assertThat(found)
        .containsExactly(
            "{\"id\": 1, \"small\": 2, \"r\": 0.1}",
            "{\"id\": 2, \"small\": 70000, \"r\": 0.0}",
            "{\"id\": 4294967297, \"small\": 2, \"r\": 0.0}",
            "{\"id\": 3, \"small\": 2, \"r\": 1234567.891}",
            "5: column 'small' is BIGINT: expected a whole number, got java.lang.Double",
            "6: column 'small' is BIGINT: expected a whole number, got java.lang.String",
            "7: column 'r' is DOUBLE: expected Double, got java.lang.String",
            "{\"id\": 7, \"small\": null, \"r\": null}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:duckdb:/no/such/database", "jdbc:no:database"})
  void keepsTheUrlToItself(String url) {
    assertThatThrownBy(() -> JdbcQuery.open(url, new Properties(), "SELECT 1", List.of()))
        .hasNoCause()
        .hasMessageNotContaining(url);
  }
}
