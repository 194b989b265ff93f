package io.bsdb.sql;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** Makes Parquet files. */
final class Parquet {
  private Parquet() {}

  /** Returns a file with the rows of a query. */
  static byte[] of(String sql) throws IOException {
    Path file = Files.createTempFile("bsdb", ".parquet");
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      statement.execute("COPY (%s) TO '%s' (FORMAT parquet)".formatted(sql, file));
      return Files.readAllBytes(file);
    } catch (SQLException e) {
      throw new IOException(e);
    } finally {
      Files.delete(file);
    }
  }
}
