package io.bsdb.cli.input;

import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Schema;
import io.bsdb.sql.JdbcQuery;
import io.bsdb.sql.QueryException;
import java.io.IOException;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Rows that a database finds over JDBC: those of a query.
 *
 * @param addresses columns that hold IP addresses
 * @param ended the column that shows whether a row is ended; null if there is none
 */
public record JdbcFormat(
    Database database, String query, Schema schema, List<String> addresses, @Nullable String ended)
    implements RecordFormat {
  /**
   * A database, as JDBC names it.
   *
   * @param properties of connections, such as user and password
   */
  public record Database(String url, Properties properties) {
    JdbcQuery open(String query, List<String> addresses) throws IOException {
      try {
        return JdbcQuery.open(url, properties, query, addresses);
      } catch (QueryException e) {
        throw failure(e);
      }
    }
  }

  /**
   * Returns the format of the one input that {@link Inputs#ofQuery()} names.
   *
   * @param addresses columns that hold IP addresses
   * @throws io.bsdb.cli.output.CommandFailure if its columns have no such key
   */
  public static JdbcFormat query(
      Database database, String query, List<String> key, List<String> addresses)
      throws IOException {
    try (JdbcQuery opened = database.open(query, addresses)) {
      return new JdbcFormat(
          database, query, RowFormat.schema(opened.columns(), key), addresses, null);
    }
  }

  private static IOException failure(QueryException e) {
    return new IOException("cannot read query: " + e.getMessage(), e);
  }

  @Override
  public JdbcFormat withKeyEncoding(KeyEncoding encoding) {
    return new JdbcFormat(database, query, schema.withKeyEncoding(encoding), addresses, ended);
  }

  @Override
  public JdbcFormat withEnded() {
    String name = RowFormat.endedColumn(schema);
    return new JdbcFormat(database, query, RowFormat.without(name, schema), addresses, name);
  }

  @Override
  public void read(InputFile file, AtomicLong stored, Sink sink, BadLines badLines)
      throws IOException {
    try (JdbcQuery opened = database.open(query, addresses)) {
      opened.read(schema, ended, new SqlFormat.Records(file, stored, 0, sink, badLines));
    } catch (QueryException e) {
      throw failure(e);
    }
  }
}
