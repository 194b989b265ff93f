package io.bsdb.sql;

/** Whether DuckDB is on the class path: the lean archive of the command line leaves it out. */
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
}
