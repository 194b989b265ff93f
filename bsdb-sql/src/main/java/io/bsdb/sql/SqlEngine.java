package io.bsdb.sql;

import io.bsdb.row.Column;
import io.bsdb.table.storage.DirectoryTree;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * DuckDB, in this process and without tables of its own: it reads what a query names, and writes
 * nothing but temporary files. Loads no extensions, from the network or elsewhere. Used by one
 * thread.
 */
public final class SqlEngine implements Closeable {
  private static final String READS_ONLY =
      "SELECT j->>'error_message', json_array_length(j, '$.statements') FROM"
          + " (SELECT json_serialize_sql(CAST(? AS VARCHAR)) AS j)";
  private static final String NOT_A_SELECT = "Only SELECT statements";

  private final Connection connection;
  private final Path temporaryDirectory;

  private SqlEngine(Connection connection, Path temporaryDirectory) {
    this.connection = connection;
    this.temporaryDirectory = temporaryDirectory;
  }

  /**
   * Starts an engine.
   *
   * @param memoryBytes that it may use, from 16 MiB on
   * @param threads that run queries
   * @param temporaryParent for what does not fit memory; the engine makes a directory in it
   */
  public static SqlEngine open(long memoryBytes, int threads, Path temporaryParent)
      throws IOException {
    Files.createDirectories(temporaryParent);
    Path temporary = Files.createTempDirectory(temporaryParent, "bsdb-sql-");
    Properties settings = new Properties();
    settings.setProperty("jdbc_stream_results", "true");
    settings.setProperty("memory_limit", memoryBytes + "B");
    settings.setProperty("threads", Integer.toString(threads));
    settings.setProperty("temp_directory", temporary.toString());
    settings.setProperty("autoinstall_known_extensions", "false");
    settings.setProperty("autoload_known_extensions", "false");
    try {
      Connection connection = DuckDb.connect(settings);
      try (Statement statement = connection.createStatement()) {
        statement.execute("SET TimeZone = 'UTC'");
        statement.execute("SET lock_configuration = true");
      }
      return new SqlEngine(connection, temporary);
    } catch (IOException e) {
      Files.delete(temporary);
      throw e;
    } catch (SQLException e) {
      Files.delete(temporary);
      throw new IOException("DuckDB does not start: " + message(e), e);
    }
  }

  /**
   * Prepares a query.
   *
   * @throws IllegalArgumentException if it is not one SELECT, or not correct, or has a column of a
   *     type that tables do not have
   * @throws IOException if it reads what cannot be read
   */
  public SqlQuery query(String sql) throws IOException {
    String select = withoutEnd(sql.strip());
    requireSelect(select);
    return SqlQuery.prepare(connection, temporaryDirectory, select);
  }

  /** Cuts off a semicolon that only comments follow, as a subquery has none. */
  private String withoutEnd(String sql) throws IOException {
    String select = sql;
    for (int i = sql.lastIndexOf(';'); i >= 0; i = sql.lastIndexOf(';', i - 1)) {
      String before = sql.substring(0, i);
      if (parse(before).statements == 1 && parse(sql.substring(i)).statements == 0) {
        select = before;
      }
    }
    return select;
  }

  /**
   * Prepares a query for all rows of a Parquet file. Throws what {@link #query} throws, also if
   * names of its columns differ only in case.
   */
  public SqlQuery parquet(Path file) throws IOException {
    SqlQuery all =
        SqlQuery.prepare(connection, temporaryDirectory, "SELECT * FROM " + source(file));
    String sql = "SELECT name FROM parquet_schema(%s)".formatted(literal(file));
    Set<String> names = new HashSet<>();
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      while (result.next()) {
        names.add(result.getString(1));
      }
    } catch (SQLException e) {
      throw failure(e);
    }
    for (Column column : all.columns()) {
      if (!names.contains(column.name())) {
        throw new IllegalArgumentException(
            "column '%s' has this name in DuckDB alone, as its own is empty, or another column's too, perhaps in another case; name it in a --query"
                .formatted(column.name()));
      }
    }
    return all;
  }

  /**
   * Prepares a query for some columns of a Parquet file. Throws what {@link #query} throws.
   *
   * @param columns by name, in order
   */
  public SqlQuery parquet(Path file, List<String> columns) throws IOException {
    List<String> names = columns.stream().map(ParquetFile::quoted).toList();
    return SqlQuery.prepare(
        connection,
        temporaryDirectory,
        "SELECT %s FROM %s".formatted(String.join(", ", names), source(file)));
  }

  /** A directory called {@code k=5} would put 5 in place of what the file has in column k. */
  private static String source(Path file) {
    return "read_parquet(%s, hive_partitioning = false)".formatted(literal(file));
  }

  /** Returns how many rows a Parquet file has. */
  public long parquetRows(Path file) throws IOException {
    String sql = "SELECT num_rows FROM parquet_file_metadata(%s)".formatted(literal(file));
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getLong(1);
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  /** A name is a pattern to DuckDB, unless its special characters stand in brackets. */
  private static String literal(Path file) {
    return SourceType.quoted(file.toString().replaceAll("[\\[*?]", "[$0]"));
  }

  /** Asks DuckDB's own parser, since what follows a semicolon would run, too. */
  private void requireSelect(String sql) throws IOException {
    Parsed parsed = parse(sql);
    String error = parsed.error;
    if (error != null && error.startsWith(NOT_A_SELECT)) {
      String verb = sql.split("\\s", 2)[0].toUpperCase(Locale.ROOT);
      throw new IllegalArgumentException(
          verb.equals("SELECT")
              ? "a query is one SELECT; leave out the statement after it"
              : "a query is a SELECT, which reads and does not write; not " + verb);
    }
    if (error != null) {
      throw new IllegalArgumentException("not a query: " + error);
    }
    if (parsed.statements != 1) {
      throw new IllegalArgumentException(
          "one SELECT is a query; actual statements: " + parsed.statements);
    }
  }

  /**
   * Result of parsing.
   *
   * @param statements -1 if there is an error
   */
  private record Parsed(@Nullable String error, int statements) {}

  private Parsed parse(String sql) throws IOException {
    try (PreparedStatement statement = connection.prepareStatement(READS_ONLY)) {
      statement.setString(1, sql);
      try (ResultSet result = statement.executeQuery()) {
        result.next();
        String error = result.getString(1);
        return new Parsed(error, error == null ? result.getInt(2) : -1);
      }
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  /** Distinguishes a query that is wrong from one that cannot be carried out. */
  static QueryException failure(SQLException e) {
    String text = String.valueOf(e.getMessage());
    String message = message(e);
    if (text.startsWith("Binder Error")
        || text.startsWith("Parser Error")
        || text.startsWith("Catalog Error")) {
      throw new IllegalArgumentException(message, e);
    }
    if (text.startsWith("Missing Extension Error")) {
      return new QueryException(message + "; bsdb loads no extensions of DuckDB: copy the file", e);
    }
    if (text.startsWith("Out of Memory Error")) {
      return new QueryException(message + "; give more with --memory", e);
    }
    return new QueryException(message, e);
  }

  /** Returns the first line of DuckDB's message: advice and an excerpt of the query follow. */
  static String message(SQLException e) {
    String text = String.valueOf(e.getMessage()).split("\n\n", 2)[0];
    return text.replaceAll("\\s*\n\\s*", " ");
  }

  @Override
  public void close() throws IOException {
    try {
      connection.close();
    } catch (SQLException e) {
      throw failure(e);
    }
    DirectoryTree.delete(temporaryDirectory);
  }
}
