package io.bsdb.sql;

import io.bsdb.row.Column;
import io.bsdb.row.FieldEncoder;
import io.bsdb.row.KeyWriter;
import io.bsdb.row.RowLayout;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import java.io.Closeable;
import java.io.IOException;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * A query that a database answers over JDBC, in a transaction that is rolled back. Used by one
 * thread.
 */
public final class JdbcQuery implements Closeable {
  private static final int BATCH = 1_000;
  private static final int BATCH_BYTES = 1 << 22;

  private final Connection connection;
  private final String sql;
  private final List<JdbcColumn> columns;

  private JdbcQuery(Connection connection, String sql, List<JdbcColumn> columns) {
    this.connection = connection;
    this.sql = sql;
    this.columns = columns;
  }

  /**
   * Connects to a database, and prepares a query.
   *
   * @param properties of the connection, such as user and password
   * @param addresses columns that hold IP addresses
   * @throws IllegalArgumentException if no driver takes the URL, or if a column has a type that
   *     tables do not have
   * @throws QueryException if the database refuses
   */
  public static JdbcQuery open(
      String url, Properties properties, String sql, Collection<String> addresses)
      throws IOException {
    Connection connection = connect(url, properties);
    try {
      connection.setAutoCommit(false); // or drivers read all rows at once
      List<JdbcColumn> columns = new ArrayList<>();
      List<String> unknown = new ArrayList<>(addresses);
      try (PreparedStatement prepared = connection.prepareStatement(sql)) {
        ResultSetMetaData types = prepared.getMetaData();
        if (types == null) {
          throw new IllegalArgumentException("not a query: the statement has no columns");
        }
        for (int i = 1; i <= types.getColumnCount(); i++) {
          JdbcColumn column = JdbcColumn.of(types, i);
          columns.add(unknown.remove(column.name()) ? column.ofAddresses() : column);
        }
      }
      if (!unknown.isEmpty()) {
        throw new IllegalArgumentException("no column '%s'".formatted(unknown.get(0)));
      }
      return new JdbcQuery(connection, sql, columns);
    } catch (SQLException e) {
      throw closing(connection, failure(e));
    } catch (RuntimeException e) {
      throw closing(connection, e);
    }
  }

  /**
   * Connects. The exceptions of drivers and of their manager may hold the URL, and with it a
   * password, so they are no causes.
   */
  private static Connection connect(String url, Properties properties) throws IOException {
    Driver driver;
    try {
      driver = DriverManager.getDriver(url);
    } catch (SQLException e) {
      throw new IllegalArgumentException(
          "no JDBC driver on the class path takes the URL: copy its jar into lib/");
    }
    try {
      Connection connection = driver.connect(url, properties);
      if (connection != null) {
        return connection;
      }
    } catch (SQLException e) {
      throw new QueryException(
          "the database cannot be reached: " + text(e).replace(url, "(URL)"), null);
    }
    throw new QueryException("the database cannot be reached", null);
  }

  private static <T extends Throwable> T closing(Connection connection, T failure) {
    try {
      connection.close();
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
    return failure;
  }

  /** Returns the columns, nullable all of them. */
  public List<Column> columns() {
    return columns.stream().map(JdbcColumn::column).toList();
  }

  /**
   * Runs the query, in a thread beside the caller's, which hands the records to the sink. An
   * interrupt of the caller cancels the query.
   *
   * @param schema of {@link #columns()}, without the one that shows which rows are ended
   * @param ended that column, a BOOLEAN, whose rows with true become ended ones; null if there is
   *     none
   * @throws QueryException if it cannot be carried out to its end
   * @throws IOException what the sink throws
   */
  public void read(Schema schema, @Nullable String ended, RecordSink sink) throws IOException {
    Encoder encoder = new Encoder(schema, columns, ended);
    try (PreparedStatement prepared = connection.prepareStatement(sql)) {
      prepared.setFetchSize(BATCH);
      try (Batches batches =
          Batches.produce(target -> encode(prepared, encoder, target), prepared)) {
        for (Batch batch = batches.next(); batch != null; batch = batches.next()) {
          batch.drainTo(sink);
        }
      }
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  private static void encode(PreparedStatement prepared, Encoder encoder, Batches.Target target)
      throws IOException, InterruptedException {
    try (ResultSet rows = prepared.executeQuery()) {
      boolean hasNext = rows.next();
      while (hasNext) {
        Batch batch = new Batch(encoder.rows, BATCH);
        for (int i = 0; i < BATCH && hasNext && batch.length() < BATCH_BYTES; i++) {
          encoder.encode(rows, batch);
          hasNext = rows.next();
        }
        target.put(batch);
      }
    } catch (SQLException e) {
      throw new QueryException("after row %,d: %s".formatted(encoder.rows, text(e)), e);
    }
  }

  /** Makes records of rows. */
  private static final class Encoder {
    private final Schema schema;
    private final List<JdbcColumn> columns;
    private final KeyWriter key;
    private final RowWriter value;
    private final int[] keyColumns;

    /** Positions in the query of the schema's columns. */
    private final int[] positions;

    /** Position in the query of the column that shows which rows are ended; -1: none are. */
    private final int endedColumn;

    private long rows;

    Encoder(Schema schema, List<JdbcColumn> columns, @Nullable String endedColumn) {
      this.schema = schema;
      this.columns = columns;
      this.key = KeyWriter.of(schema);
      this.value = new RowWriter(RowLayout.ofValues(schema));
      this.keyColumns = schema.primaryKey().stream().mapToInt(schema::position).toArray();
      List<String> names = columns.stream().map(JdbcColumn::name).toList();
      this.positions =
          schema.columns().stream().mapToInt(column -> names.indexOf(column.name())).toArray();
      this.endedColumn = endedColumn == null ? -1 : names.indexOf(endedColumn);
    }

    void encode(ResultSet result, Batch batch) throws IOException, SQLException {
      rows++;
      @Nullable Object[] row = new Object[columns.size()];
      try {
        for (int i = 0; i < row.length; i++) {
          row[i] = cell(result, i);
        }
        key.reset();
        for (int i : keyColumns) {
          FieldEncoder.write(key, schema.columns().get(i), row[positions[i]]);
        }
        if (endedColumn >= 0 && Boolean.TRUE.equals(row[endedColumn])) {
          batch.addEnded(key);
          return;
        }
        value.reset();
        for (int i = 0; i < positions.length; i++) {
          int field = schema.valuePosition(i);
          if (field >= 0 && row[positions[i]] != null) {
            FieldEncoder.write(value, field, row[positions[i]]);
          }
        }
        batch.add(key, value);
      } catch (IllegalArgumentException e) {
        batch.refuse(String.valueOf(e.getMessage()));
      }
    }

    /** Returns a value; a driver that cannot convert it throws nearly anything. */
    private @Nullable Object cell(ResultSet result, int i) throws IOException, SQLException {
      JdbcColumn column = columns.get(i);
      try {
        return column.value(result, i + 1);
      } catch (SQLException | DateTimeException | ArithmeticException | ClassCastException e) {
        throw new QueryException(
            "row %,d, column '%s': a value of type %s cannot be read as %s: %s; CAST the column in the query, or leave such rows out"
                .formatted(
                    rows,
                    column.name(),
                    result.getMetaData().getColumnTypeName(i + 1),
                    column.column().type(),
                    e instanceof SQLException failure ? text(failure) : e.getMessage()),
            e);
      }
    }
  }

  private static QueryException failure(SQLException e) {
    return new QueryException(text(e), e);
  }

  private static String text(SQLException e) {
    String message = String.valueOf(e.getMessage()).replaceAll("\\s*\n\\s*", " ");
    return e.getSQLState() == null ? message : message + " (SQLSTATE " + e.getSQLState() + ")";
  }

  @Override
  public void close() throws IOException {
    try (Connection closed = connection) {
      closed.rollback();
    } catch (SQLException e) {
      throw failure(e);
    }
  }
}
