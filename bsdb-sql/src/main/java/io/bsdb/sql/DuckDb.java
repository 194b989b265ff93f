package io.bsdb.sql;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** DuckDB as a library: it may be missing, and its native library is unpacked when first used. */
public final class DuckDb {
  private static final String DRIVER = "org.duckdb.DuckDBDriver";

  private DuckDb() {}

  /**
   * Checks that it is there.
   *
   * @throws IllegalArgumentException saying where it can be had
   */
  public static void require() {
    try {
      Class<?> unused = Class.forName(DRIVER, false, DuckDb.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalArgumentException(
          "queries and Parquet need DuckDB, which this lean archive does not have: take the whole archive, or copy duckdb_jdbc-*.jar into lib/",
          e);
    }
  }

  /**
   * Starts a database in memory.
   *
   * @throws IOException if its native library does not load
   */
  static Connection connect(Properties settings) throws IOException, SQLException {
    try {
      return DriverManager.getConnection("jdbc:duckdb:", settings);
    } catch (LinkageError e) {
      Throwable cause = e.getCause();
      Throwable reason = cause == null ? e : cause; // a failed initializer has no message
      throw new IOException(
          "DuckDB's native library does not load: java.io.tmpdir=%s: %s; it is unpacked there, so take a directory that may be written to, has room, and allows to execute files (-Djava.io.tmpdir)"
              .formatted(System.getProperty("java.io.tmpdir"), reason.getMessage()),
          e);
    }
  }
}
