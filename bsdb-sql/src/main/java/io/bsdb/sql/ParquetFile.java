package io.bsdb.sql;

import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.ColumnType.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBDataChunkWriter;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBTableFunction;
import org.duckdb.DuckDBTableFunctionBindInfo;
import org.duckdb.DuckDBTableFunctionBuilder;
import org.duckdb.DuckDBTableFunctionCallInfo;
import org.duckdb.DuckDBTableFunctionInitInfo;
import org.jspecify.annotations.Nullable;

/** Writes Parquet files. */
public final class ParquetFile {
  private static final String FUNCTION = "rows_of_the_table";

  /** A column of the source in a message. */
  private static final Pattern NUMBERED = Pattern.compile("source column c(\\d+)");

  private ParquetFile() {}

  /** Gives rows. */
  @FunctionalInterface
  public interface Rows {
    /**
     * Returns the next row: texts as DuckDB casts them, Base64 of bytes, JSON of what is nested,
     * null for NULL. Null: there is no more.
     */
    @Nullable List<@Nullable String> next() throws IOException;
  }

  /**
   * Writes a file, under another name until it is whole.
   *
   * @throws IllegalArgumentException naming a column whose values the file could not hold exactly
   */
  public static void write(Path file, List<Column> columns, Rows rows) throws IOException {
    List<String> values = new ArrayList<>();
    for (Column column : columns) {
      String name = "c" + values.size();
      values.add(
          "%s AS \"%s\"".formatted(value(name, column), column.name().replace("\"", "\"\"")));
    }
    Path part = file.resolveSibling(file.getFileName() + ".part");
    part.toFile().deleteOnExit(); // a signal ends the process without what is below
    Source source = new Source(rows, columns);
    Properties settings = new Properties();
    settings.setProperty("autoinstall_known_extensions", "false");
    settings.setProperty("autoload_known_extensions", "false");
    settings.setProperty("threads", "1");
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:", settings);
        DuckDBTableFunctionBuilder function = DuckDBFunctions.tableFunction();
        Statement statement = connection.createStatement()) {
      DuckDBFunctions.RegisteredFunction unused =
          function.withName(FUNCTION).withFunction(source).register(connection);
      statement.execute("SET TimeZone = 'UTC'");
      statement.execute(
          "COPY (SELECT %s FROM %s()) TO %s (FORMAT parquet)"
              .formatted(String.join(", ", values), FUNCTION, SourceType.quoted(part.toString())));
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (SQLException e) {
      if (source.failure instanceof IOException failure) {
        throw failure;
      }
      if (source.failure instanceof RuntimeException failure) {
        throw failure;
      }
      String message =
          NUMBERED
              .matcher(SqlEngine.message(e))
              .replaceAll(
                  found ->
                      Matcher.quoteReplacement(name(columns, Integer.parseInt(found.group(1)))));
      throw new IOException("cannot write %s: %s".formatted(file, message), e);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private static String name(List<Column> columns, int number) {
    return "column '" + columns.get(number).name() + "'";
  }

  /** Returns SQL that makes a value of its text. */
  private static String value(String text, Column column) {
    ColumnType type = column.type();
    return switch (type.kind()) {
      case BINARY, VARBINARY -> type.isAddress() ? text : "from_base64(%s)".formatted(text);
      case ARRAY, MAP, ROW ->
          "CAST(CAST(%s AS JSON) AS %s)".formatted(text, sqlType(column, type, true));
      default -> "CAST(%s AS %s)".formatted(text, sqlType(column, type, false));
    };
  }

  private static String sqlType(Column column, ColumnType type, boolean nested) {
    if (type.isAddress()) {
      return "VARCHAR";
    }
    return switch (type.kind()) {
      case CHAR, VARCHAR -> "VARCHAR";
      case INT -> "INTEGER";
      case BOOLEAN, TINYINT, SMALLINT, BIGINT, FLOAT, DOUBLE, DATE, TIME -> type.kind().name();
      case DECIMAL -> {
        if (nested && type.precision() > 15) {
          throw refused(column, "has a nested DECIMAL of more than 15 digits");
        }
        yield "DECIMAL(%d, %d)".formatted(type.precision(), type.scale());
      }
      case TIMESTAMP -> type.precision() > 6 ? "TIMESTAMP_NS" : "TIMESTAMP";
      case TIMESTAMP_LTZ -> {
        if (type.precision() > 6) {
          throw refused(column, "has nanoseconds in UTC");
        }
        yield "TIMESTAMP WITH TIME ZONE";
      }
      case ARRAY -> sqlType(column, type.elementType(), true) + "[]";
      case MAP -> {
        if (!type.keyType().kind().isKeyable()) { // whose JSON is no object
          throw refused(column, "has a map with nested keys");
        }
        yield "MAP(%s, %s)"
            .formatted(
                sqlType(column, type.keyType(), true), sqlType(column, type.valueType(), true));
      }
      case ROW ->
          type.fields().stream()
              .map(
                  field ->
                      "\"%s\" %s"
                          .formatted(
                              field.name().replace("\"", "\"\""),
                              sqlType(column, field.type(), true)))
              .collect(Collectors.joining(", ", "STRUCT(", ")"));
      case BINARY, VARBINARY -> throw refused(column, "has nested bytes");
    };
  }

  private static IllegalArgumentException refused(Column column, String what) {
    return new IllegalArgumentException(
        "column '%s' %s, which cannot be written to Parquet: %s; take --format json"
            .formatted(column.name(), what, column.type()));
  }

  /** Source from which DuckDB reads the rows: columns of texts. */
  private static final class Source implements DuckDBTableFunction<Object, Object, Object> {
    private final Rows rows;
    private final List<Column> columns;
    private @Nullable Exception failure;

    Source(Rows rows, List<Column> columns) {
      this.rows = rows;
      this.columns = columns;
    }

    @Override
    public Object bind(DuckDBTableFunctionBindInfo info) {
      for (int i = 0; i < columns.size(); i++) {
        info.addResultColumn("c" + i, DuckDBColumnType.VARCHAR);
      }
      return this;
    }

    @Override
    public Object init(DuckDBTableFunctionInitInfo info) {
      info.setMaxThreads(1);
      return this;
    }

    private static boolean isTime(Kind kind) {
      return kind == Kind.DATE || kind == Kind.TIMESTAMP || kind == Kind.TIMESTAMP_LTZ;
    }

    @Override
    public long apply(DuckDBTableFunctionCallInfo info, DuckDBDataChunkWriter chunk)
        throws IOException {
      try {
        long count = 0;
        while (count < chunk.capacity()) {
          List<@Nullable String> row = rows.next();
          if (row == null) {
            break;
          }
          for (int i = 0; i < columns.size(); i++) {
            String text = row.get(i);
            if (text == null) {
              chunk.vector(i).setNull(count);
            } else if (text.startsWith("+") && isTime(columns.get(i).type().kind())) {
              chunk.vector(i).setString(count, text.substring(1)); // as DuckDB has years above 9999
            } else {
              chunk.vector(i).setString(count, text);
            }
          }
          count++;
        }
        return count;
      } catch (IOException | RuntimeException e) {
        failure = e; // which DuckDB makes a text of, with its stack trace
        throw e;
      }
    }
  }
}
