package io.bsdb.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.row.Schema;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
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

  private static JdbcQuery open(String sql) throws IOException {
    Properties properties = new Properties();
    properties.setProperty("jdbc_stream_results", "true");
    return JdbcQuery.open("jdbc:duckdb:", properties, sql, List.of());
  }

  private static void read(String sql, Runnable atEachRow) throws IOException {
    try (JdbcQuery query = open(sql)) {
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

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:duckdb:/no/such/database", "jdbc:no:database"})
  void keepsTheUrlToItself(String url) {
    assertThatThrownBy(() -> JdbcQuery.open(url, new Properties(), "SELECT 1", List.of()))
        .hasNoCause()
        .hasMessageNotContaining(url);
  }
}
