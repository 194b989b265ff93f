package io.bsdb.sql;

import io.bsdb.row.Column;
import io.bsdb.row.KeyWriter;
import io.bsdb.row.RowLayout;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.duckdb.DuckDBChunkedResult;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBPreparedStatement;
import org.duckdb.DuckDBReadableVector;

/** A query whose rows become records. Used by one thread, while its engine is open. */
public final class SqlQuery {
  private final Connection connection;
  private final String statement;
  private final String names;
  private final List<SourceColumn> columns;

  private SqlQuery(
      Connection connection, String statement, String names, List<SourceColumn> columns) {
    this.connection = connection;
    this.statement = statement;
    this.names = names;
    this.columns = columns;
  }

  /**
   * Prepares a SELECT. It only ever runs as a subquery, where DuckDB refuses everything that
   * writes.
   */
  static SqlQuery prepare(Connection connection, String select) throws IOException {
    String subquery = "(" + select + "\n)";
    List<SourceColumn> columns = new ArrayList<>();
    try (PreparedStatement prepared =
        connection.prepareStatement("SELECT * FROM " + subquery)) {
      ResultSetMetaData types = prepared.getMetaData();
      for (int i = 0; i < types.getColumnCount(); i++) {
        columns.add(
            SourceColumn.of(types.getColumnName(i + 1), types.getColumnTypeName(i + 1), "c" + i));
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
    return new SqlQuery(connection, statement, names, columns);
  }

  /** Returns the columns, nullable all of them: what a query yields is not known to be NOT NULL. */
  public List<Column> columns() {
    return columns.stream().map(SourceColumn::column).toList();
  }

  /**
   * Runs the query.
   *
   * @param schema of {@link #columns()}
   * @throws IOException if it cannot be carried out to its end
   */
  public void read(Schema schema, RecordSink sink) throws IOException {
    Rows rows = new Rows(schema, sink);
    // When a stream of chunks fails, it just ends. A last row of its own tells that it was whole.
    String withEnd =
        "SELECT *, true FROM (%s) AS r(%s) UNION ALL SELECT %s, false"
            .formatted(
                statement, names, String.join(", ", Collections.nCopies(columns.size(), "NULL")));
    try (DuckDBPreparedStatement prepared =
            (DuckDBPreparedStatement) connection.prepareStatement(withEnd);
        DuckDBChunkedResult result = prepared.query()) {
      while (result.nextChunk()) {
        rows.read(result.chunk());
      }
    } catch (SQLException e) {
      throw SqlEngine.failure(e);
    }
    if (!rows.ended) {
      throw failure(rows.count);
    }
  }

  /** Returns why the stream failed, which is told to who asks for all rows at once. */
  private IOException failure(long rowsBefore) throws IOException {
    String all = "SELECT max(hash(%s)) FROM (%s) AS r(%s)".formatted(names, statement, names);
    String reason = "the query did not come to its end";
    try (DuckDBPreparedStatement prepared =
            (DuckDBPreparedStatement) connection.prepareStatement(all);
        DuckDBChunkedResult result = prepared.query()) {
      result.nextChunk();
    } catch (SQLException e) {
      reason = String.valueOf(SqlEngine.failure(e).getMessage());
    }
    return new IOException("after row %,d: %s".formatted(rowsBefore, reason));
  }

  /** The rows of one run, on their way to records. */
  private final class Rows {
    private final Schema schema;
    private final RecordSink sink;
    private final KeyWriter key;
    private final RowWriter value;
    private final int[] keyColumns;
    private final DuckDBReadableVector[] vectors = new DuckDBReadableVector[columns.size()];
    private byte[] target = new byte[256];
    private long count;
    private boolean ended;

    Rows(Schema schema, RecordSink sink) {
      this.schema = schema;
      this.sink = sink;
      this.key = KeyWriter.of(schema);
      this.value = new RowWriter(RowLayout.ofValues(schema));
      this.keyColumns = schema.primaryKey().stream().mapToInt(schema::position).toArray();
    }

    void read(DuckDBDataChunkReader chunk) throws IOException {
      for (int i = 0; i < vectors.length; i++) {
        vectors[i] = chunk.vector(i);
      }
      DuckDBReadableVector more = chunk.vector(vectors.length);
      int rows = Math.toIntExact(chunk.rowCount());
      for (int row = 0; row < rows; row++) {
        if (ended) {
          throw new IOException("the query goes on after its end");
        }
        if (more.getBoolean(row)) {
          count++;
          read(row);
        } else {
          ended = true;
        }
      }
    }

    private void read(int row) throws IOException {
      int valueLength;
      int keyLength;
      try {
        key.reset();
        for (int position : keyColumns) {
          columns.get(position).reader()
              .write(vectors[position], row, schema.columns().get(position), key);
        }
        keyLength = key.length();
        value.reset();
        for (int i = 0; i < vectors.length; i++) {
          int field = schema.valuePosition(i);
          if (field >= 0) {
            columns.get(i).reader().write(vectors[i], row, schema.columns().get(i), value, field);
          }
        }
        valueLength = value.writeTo(target, 0);
        if (valueLength < 0) {
          target = new byte[Math.max(2 * target.length, -1 - valueLength)];
          valueLength = value.writeTo(target, 0);
        }
      } catch (IllegalArgumentException e) {
        sink.refuse(count, String.valueOf(e.getMessage()));
        return;
      }
      sink.add(key.buffer(), keyLength, target, valueLength, count);
    }
  }
}
