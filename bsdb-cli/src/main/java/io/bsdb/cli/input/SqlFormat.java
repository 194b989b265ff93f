package io.bsdb.cli.input;

import io.bsdb.cli.output.CommandFailure;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.ColumnType.Kind;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Schema;
import io.bsdb.sql.DuckDb;
import io.bsdb.sql.QueryException;
import io.bsdb.sql.RecordSink;
import io.bsdb.sql.SqlEngine;
import io.bsdb.sql.SqlQuery;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Rows that DuckDB finds: those of a query, or of Parquet files.
 *
 * @param query null: the inputs are Parquet files
 * @param addresses columns that hold IP addresses
 * @param ended the column that shows whether a row is ended; null if there is none
 */
public record SqlFormat(
    Resources resources,
    @Nullable String query,
    Schema schema,
    List<String> addresses,
    @Nullable String ended)
    implements RecordFormat {
  private static final int PROGRESS_MASK = (1 << 12) - 1;

  /**
   * Resources that DuckDB may use.
   *
   * @param threads 0 for as many as there are processors
   */
  public record Resources(long memoryBytes, int threads, Path temporaryDirectory) {
    SqlEngine engine() throws IOException {
      DuckDb.require();
      int most = threads > 0 ? threads : Runtime.getRuntime().availableProcessors();
      return SqlEngine.open(memoryBytes, most, temporaryDirectory);
    }
  }

  /**
   * Returns the format of the one input that {@link Inputs#ofQuery()} names.
   *
   * @param addresses columns that hold IP addresses
   * @throws CommandFailure if its columns have no such key
   */
  public static SqlFormat query(
      String query, List<String> key, List<String> addresses, Resources resources)
      throws IOException {
    try (SqlEngine engine = resources.engine()) {
      List<Column> columns = engine.query(query).withAddresses(addresses).columns();
      return new SqlFormat(resources, query, RowFormat.schema(columns, key), addresses, null);
    }
  }

  /**
   * Returns the format of Parquet files, with the columns of the first.
   *
   * @param addresses columns that hold IP addresses
   * @throws CommandFailure if its columns have no such key
   */
  public static SqlFormat parquet(
      Inputs inputs, List<String> key, List<String> addresses, Resources resources)
      throws IOException {
    InputFile first = inputs.files().get(0);
    try (SqlEngine engine = resources.engine()) {
      List<Column> columns = engine.parquet(path(first)).withAddresses(addresses).columns();
      return new SqlFormat(resources, null, RowFormat.schema(columns, key), addresses, null);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.refused("%s: %s".formatted(first.name(), e.getMessage()));
    } catch (QueryException e) {
      throw unreadable(first, String.valueOf(e.getMessage()), e);
    }
  }

  private static IOException unreadable(InputFile file, String message, QueryException e) {
    return new IOException("cannot read %s: %s".formatted(file.name(), message), e);
  }

  private static Path path(InputFile file) {
    Path path = file.path();
    if (path == null || !file.canBeReadAgain()) {
      throw CommandFailure.usage("Parquet is read from files; this is none: " + file.name());
    }
    return path;
  }

  @Override
  public SqlFormat withKeyEncoding(KeyEncoding encoding) {
    return new SqlFormat(resources, query, schema.withKeyEncoding(encoding), addresses, ended);
  }

  @Override
  public SqlFormat withEnded() {
    String name = RowFormat.endedColumn(schema);
    return new SqlFormat(resources, query, RowFormat.without(name, schema), addresses, name);
  }

  @Override
  public void read(InputFile file, AtomicLong stored, Sink sink, BadLines badLines)
      throws IOException {
    try (SqlEngine engine = resources.engine()) {
      if (query != null) {
        SqlQuery rows = engine.query(query).withAddresses(addresses);
        rows.read(schema, ended, new Records(file, stored, 0, sink, badLines));
      } else {
        SqlQuery rows = parquet(engine, file);
        long count = engine.parquetRows(path(file));
        rows.read(schema, ended, new Records(file, stored, count, sink, badLines));
      }
    } catch (QueryException e) {
      String message = String.valueOf(e.getMessage());
      if (message.contains("is not valid UTF8")) { // text of a Parquet file; DuckDB has no codes
        throw CommandFailure.refused("%s: %s".formatted(file.name(), message));
      }
      throw unreadable(file, message, e);
    }
  }

  private SqlQuery parquet(SqlEngine engine, InputFile file) throws IOException {
    List<Column> columns = new ArrayList<>(schema.columns());
    if (ended != null) {
      columns.add(new Column(ended, ColumnType.of(Kind.BOOLEAN)));
    }
    List<String> names = columns.stream().map(Column::name).toList();
    SqlQuery query;
    try {
      requireSame(engine.parquet(path(file)).columns().stream().map(Column::name).toList(), names);
      query = engine.parquet(path(file), names).withAddresses(addresses);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.refused("%s: %s".formatted(file.name(), e.getMessage()));
    }
    for (int i = 0; i < names.size(); i++) {
      Column expected = columns.get(i);
      Column actual = query.columns().get(i);
      if (!actual.type().equals(expected.type().nullable())) {
        throw CommandFailure.refused(
            "%s: column '%s' is %s, in the first file it is %s"
                .formatted(file.name(), actual.name(), actual.type(), expected.type().nullable()));
      }
    }
    return query;
  }

  /** Refuses other columns; DuckDB would make up a missing one that is called {@code filename}. */
  private static void requireSame(List<String> actual, List<String> expected) {
    for (String name : actual) {
      if (isMissing(name, expected)) {
        throw new IllegalArgumentException(
            "column '%s' is not in the first file, which has %s".formatted(name, expected));
      }
    }
    for (String name : expected) {
      if (isMissing(name, actual)) {
        throw new IllegalArgumentException(
            "column '%s' of the first file is missing; this file has %s".formatted(name, actual));
      }
    }
  }

  private static boolean isMissing(String name, List<String> names) {
    return names.stream().noneMatch(name::equalsIgnoreCase); // as DuckDB finds them
  }

  /** The records of one input. */
  static final class Records implements RecordSink {
    private final InputFile file;
    private final AtomicLong stored;
    private final long before;
    private final long rows;
    private final Sink sink;
    private final BadLines badLines;

    /**
     * @param rows that the input has; 0 if unknown
     */
    Records(InputFile file, AtomicLong stored, long rows, Sink sink, BadLines badLines) {
      this.file = file;
      this.stored = stored;
      this.before = stored.get();
      this.rows = rows;
      this.sink = sink;
      this.badLines = badLines;
    }

    @Override
    public void add(byte[] bytes, int keyOffset, int keyLength, int valueLength, long row)
        throws IOException {
      if (RecordFormat.fit(keyLength, valueLength, file.name(), row, badLines)) {
        sink.add(bytes, keyOffset, keyLength, bytes, keyOffset + keyLength, valueLength, row);
      }
      if (row == rows || ((row & PROGRESS_MASK) == 0 && rows > 0)) {
        stored.lazySet(before + (long) ((double) file.length() / rows * row));
      }
    }

    @Override
    public void refuse(long row, String reason) {
      badLines.found(file.name(), row, reason);
    }
  }
}
