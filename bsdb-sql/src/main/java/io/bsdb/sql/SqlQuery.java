package io.bsdb.sql;

import io.bsdb.row.Column;
import io.bsdb.row.Schema;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.duckdb.DuckDBChunkedResult;
import org.duckdb.DuckDBPreparedStatement;
import org.jspecify.annotations.Nullable;

/** A query whose rows become records. Used by one thread, while its engine is open. */
public final class SqlQuery {
  private final Connection connection;
  private final Path temporaryDirectory;
  private final String statement;
  private final String names;
  private final List<SourceColumn> columns;

  private SqlQuery(
      Connection connection,
      Path temporaryDirectory,
      String statement,
      String names,
      List<SourceColumn> columns) {
    this.connection = connection;
    this.temporaryDirectory = temporaryDirectory;
    this.statement = statement;
    this.names = names;
    this.columns = columns;
  }

  /**
   * Prepares a SELECT. It only ever runs as a subquery, where DuckDB refuses everything that
   * writes.
   *
   * @param temporaryDirectory that the connection has
   */
  static SqlQuery prepare(Connection connection, Path temporaryDirectory, String select)
      throws IOException {
    String subquery = "(" + select + "\n)";
    List<SourceColumn> columns = new ArrayList<>();
    try (PreparedStatement plain = connection.prepareStatement(select);
        PreparedStatement prepared = connection.prepareStatement("SELECT * FROM " + subquery)) {
      ResultSetMetaData types = prepared.getMetaData();
      List<String> given = names(plain.getMetaData());
      boolean isDistinct = new HashSet<>(given).size() == given.size();
      List<String> chosen = isDistinct ? given : names(types); // DuckDB numbers those alike
      for (int i = 0; i < chosen.size(); i++) {
        columns.add(SourceColumn.of(chosen.get(i), types.getColumnTypeName(i + 1), "c" + i));
      }
    } catch (SQLException e) {
      throw SqlEngine.failure(e);
    }
    String names =
        IntStream.range(0, columns.size()).mapToObj(i -> "c" + i).collect(Collectors.joining(", "));
    String statement =
        "SELECT %s FROM %s AS q(%s)"
            .formatted(
                columns.stream().map(SourceColumn::expression).collect(Collectors.joining(", ")),
                subquery,
                names);
    return new SqlQuery(connection, temporaryDirectory, statement, names, columns);
  }

  private static List<String> names(ResultSetMetaData columns) throws SQLException {
    List<String> names = new ArrayList<>();
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      names.add(columns.getColumnName(i));
    }
    return names;
  }

  /** Returns the columns, nullable all of them: what a query yields is not known to be NOT NULL. */
  public List<Column> columns() {
    return columns.stream().map(SourceColumn::column).toList();
  }

  /**
   * Returns the query with IP addresses in some columns, which are text, BIGINT or 16 bytes.
   *
   * @throws IllegalArgumentException naming a column that has none, or is not there
   */
  public SqlQuery withAddresses(Collection<String> names) {
    List<String> unknown = new ArrayList<>(names);
    List<SourceColumn> typed = new ArrayList<>();
    for (SourceColumn column : columns) {
      typed.add(unknown.remove(column.column().name()) ? column.ofAddresses() : column);
    }
    if (!unknown.isEmpty()) {
      throw new IllegalArgumentException("no column '%s'".formatted(unknown.get(0)));
    }
    return new SqlQuery(connection, temporaryDirectory, statement, this.names, typed);
  }

  /**
   * Runs the query. Rows become records in a thread beside the caller's, which hands them to the
   * sink.
   *
   * @param schema of {@link #columns()}, without the one that shows which rows are ended
   * @param ended that column, a BOOLEAN, whose rows with true become ended ones; null if there is
   *     none
   * @throws QueryException if it cannot be carried out to its end
   * @throws IOException what the sink throws
   */
  public void read(Schema schema, @Nullable String ended, RecordSink sink) throws IOException {
    // When a stream of chunks fails, it just ends. A last row of its own marks that it was whole.
    String withEnd =
        "SELECT *, true FROM (%s) AS r(%s) UNION ALL SELECT %s, false"
            .formatted(
                statement, names, String.join(", ", Collections.nCopies(columns.size(), "NULL")));
    RowEncoder encoder = new RowEncoder(schema, columns, ended);
    try (DuckDBPreparedStatement prepared =
            (DuckDBPreparedStatement) connection.prepareStatement(withEnd);
        Batches batches = Batches.produce(target -> encode(prepared, encoder, target), prepared)) {
      for (Batch batch = batches.next(); batch != null; batch = batches.next()) {
        batch.drainTo(sink);
      }
    } catch (SQLException e) {
      throw failure(e);
    }
    if (!encoder.hasEnded()) {
      throw failure(encoder.count());
    }
  }

  private void encode(DuckDBPreparedStatement prepared, RowEncoder encoder, Batches.Target target)
      throws IOException, InterruptedException {
    try (DuckDBChunkedResult result = prepared.query()) {
      while (result.nextChunk()) {
        target.put(encoder.encode(result.chunk()));
      }
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  private QueryException failure(SQLException e) {
    String message = SqlEngine.message(e);
    if (message.contains("max_temp_directory_size")
        || message.contains("No space left on device")) {
      String found = message.split("[.] This limit was set by", 2)[0];
      return new QueryException(
          "temporary files do not fit into %s: %s; make room there, or name another directory with --temp"
              .formatted(temporaryDirectory, found),
          e);
    }
    return SqlEngine.failure(e);
  }

  /** Returns why the stream failed, as a query for all rows at once reports it. */
  private QueryException failure(long rowsBefore) {
    String all = "SELECT max(hash(%s)) FROM (%s) AS r(%s)".formatted(names, statement, names);
    String reason = "the query did not come to its end";
    try (DuckDBPreparedStatement prepared =
            (DuckDBPreparedStatement) connection.prepareStatement(all);
        DuckDBChunkedResult result = prepared.query()) {
      result.nextChunk();
    } catch (SQLException e) {
      reason = String.valueOf(failure(e).getMessage());
    }
    return new QueryException("after row %,d: %s".formatted(rowsBefore, reason), null);
  }
}
