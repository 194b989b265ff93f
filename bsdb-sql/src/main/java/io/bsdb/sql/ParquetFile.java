package io.bsdb.sql;

import com.fasterxml.jackson.core.JsonGenerator;
import io.bsdb.format.io.Thrown;
import io.bsdb.row.ArrayView;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.ColumnType.Kind;
import io.bsdb.row.FieldView;
import io.bsdb.row.KeyView;
import io.bsdb.row.MapView;
import io.bsdb.row.RowLayout;
import io.bsdb.row.RowView;
import io.bsdb.row.Schema;
import io.bsdb.row.text.RowJsonWriter;
import io.bsdb.row.text.ValueParser;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;
import java.time.temporal.Temporal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBDataChunkWriter;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBLogicalType;
import org.duckdb.DuckDBTableFunction;
import org.duckdb.DuckDBTableFunctionBindInfo;
import org.duckdb.DuckDBTableFunctionBuilder;
import org.duckdb.DuckDBTableFunctionCallInfo;
import org.duckdb.DuckDBTableFunctionInitInfo;
import org.duckdb.DuckDBWritableVector;
import org.jspecify.annotations.Nullable;

/** Writes Parquet files. */
public final class ParquetFile {
  private static final String FUNCTION = "rows_of_the_table";

  /** The letters that DuckDB does not distinguish from small ones in names. */
  private static final Pattern UPPER_CASE = Pattern.compile("[A-Z]");

  private static final HexFormat ESCAPES = HexFormat.of().withPrefix("\\x").withUpperCase();

  // What DuckDB holds; it takes the next values, at both ends of most types, for infinities.
  private static final LocalDate FIRST_DATE = LocalDate.of(-5_877_641, 6, 25);
  private static final LocalDate LAST_DATE = LocalDate.of(5_881_580, 7, 10);
  private static final LocalDateTime FIRST_MICROS = LocalDateTime.of(-290_308, 12, 22, 0, 0);
  private static final LocalDateTime LAST_MICROS =
      LocalDateTime.of(294_247, 1, 10, 4, 0, 54, 775_806_000);
  private static final LocalDateTime FIRST_NANOS = LocalDateTime.of(1677, 9, 21, 0, 12, 44);
  private static final LocalDateTime LAST_NANOS =
      LocalDateTime.of(2262, 4, 11, 23, 47, 16, 854_775_806);

  private ParquetFile() {}

  /** Gives records. */
  @FunctionalInterface
  public interface Records {
    /** Returns the key and the value of the next record; null if there is no more. */
    Map.@Nullable Entry<byte[], byte[]> next() throws IOException;
  }

  /**
   * Writes a file, under another name until it is whole. It replaces the file that is there, or
   * that a link there leads to, but nothing else, such as a device.
   *
   * @param ended name of one more column, which shows whether a row is ended; null if none is
   * @throws IllegalArgumentException naming a column whose values the file could not hold exactly
   */
  public static void write(Path file, Schema schema, @Nullable String ended, Records records)
      throws IOException {
    List<Column> columns = new ArrayList<>(schema.columns());
    if (ended != null) {
      columns.add(new Column(ended, ColumnType.of(Kind.BOOLEAN)));
    }
    Set<String> names = new HashSet<>();
    List<String> values = new ArrayList<>();
    for (Column column : columns) {
      requireOther(column, column.name(), names);
      values.add("%s AS %s".formatted(value("c" + values.size(), column), quoted(column.name())));
    }
    Path target = Files.exists(file) ? file.toRealPath() : file;
    if (Files.exists(target) && !Files.isRegularFile(target)) {
      throw new IOException(
          "cannot write %s: what is there is no regular file; give the name of another file"
              .formatted(file));
    }
    Path part = target.resolveSibling(target.getFileName() + ".part");
    part.toFile().deleteOnExit(); // a signal ends the process without what is below
    Source source = new Source(schema, columns, records);
    Properties settings = new Properties();
    settings.setProperty("autoinstall_known_extensions", "false");
    settings.setProperty("autoload_known_extensions", "false");
    settings.setProperty("threads", "1");
    try (Connection connection = DuckDb.connect(settings);
        DuckDBTableFunctionBuilder function = DuckDBFunctions.tableFunction();
        Statement statement = connection.createStatement()) {
      DuckDBFunctions.RegisteredFunction unused =
          function.withName(FUNCTION).withFunction(source).register(connection);
      statement.execute("SET TimeZone = 'UTC'");
      statement.execute(
          "COPY (SELECT %s FROM %s()) TO %s (FORMAT parquet)"
              .formatted(String.join(", ", values), FUNCTION, SourceType.quoted(part.toString())));
      Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (SQLException e) {
      if (source.failure != null) {
        throw Thrown.asIs(source.failure);
      }
      throw new IOException("cannot write %s: %s".formatted(file, SqlEngine.message(e)), e);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  /** Returns a name as SQL. */
  static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /** Returns the type of the values that DuckDB is given: text where it takes no others. */
  private static DuckDBLogicalType given(Column column) throws SQLException {
    ColumnType type = column.type();
    return switch (type.kind()) {
      case DECIMAL -> DuckDBLogicalType.decimal(type.precision(), type.scale());
      case TIME -> DuckDBLogicalType.of(DuckDBColumnType.TIMESTAMP);
      case BINARY, VARBINARY, ARRAY, MAP, ROW -> DuckDBLogicalType.of(DuckDBColumnType.VARCHAR);
      default ->
          DuckDBLogicalType.of(
              DuckDBColumnType.valueOf(sqlType(column, type, "BLOB").replace(' ', '_')));
    };
  }

  /** Returns SQL that makes a value of the one that DuckDB is given. */
  private static String value(String given, Column column) {
    ColumnType type = column.type();
    String target = sqlType(column, type, "BLOB");
    return switch (type.kind()) {
      case BINARY, VARBINARY -> type.isAddress() ? given : "from_base64(%s)".formatted(given);
      case TIME -> "CAST(%s AS TIME)".formatted(given);
      case ARRAY, MAP, ROW -> // as bytes, a text of JSON would keep its escapes
          "CAST(CAST(CAST(%s AS JSON) AS %s) AS %s)"
              .formatted(given, sqlType(column, type, "VARCHAR"), target);
      default -> given;
    };
  }

  /**
   * Returns a type of DuckDB.
   *
   * @param bytes the one of BINARY and VARBINARY
   */
  private static String sqlType(Column column, ColumnType type, String bytes) {
    if (type.isAddress()) {
      return "VARCHAR";
    }
    return switch (type.kind()) {
      case CHAR, VARCHAR -> "VARCHAR";
      case INT -> "INTEGER";
      case BOOLEAN, TINYINT, SMALLINT, BIGINT, FLOAT, DOUBLE, DATE, TIME -> type.kind().name();
      case DECIMAL -> "DECIMAL(" + type.precision() + ", " + type.scale() + ")";
      case TIMESTAMP -> type.precision() > 6 ? "TIMESTAMP_NS" : "TIMESTAMP";
      case TIMESTAMP_LTZ -> {
        if (type.precision() > 6) {
          throw refused(column, "has nanoseconds in UTC");
        }
        yield "TIMESTAMP WITH TIME ZONE";
      }
      case BINARY, VARBINARY -> bytes;
      case ARRAY -> sqlType(column, type.elementType(), bytes) + "[]";
      case MAP -> {
        if (!type.keyType().kind().isKeyable()) { // whose JSON is no object
          throw refused(column, "has a map with nested keys");
        }
        yield "MAP(%s, %s)"
            .formatted(
                sqlType(column, type.keyType(), bytes), sqlType(column, type.valueType(), bytes));
      }
      case ROW -> {
        Set<String> names = new HashSet<>();
        type.fields().forEach(field -> requireOther(column, field.name(), names));
        yield type.fields().stream()
            .map(field -> quoted(field.name()) + " " + sqlType(column, field.type(), bytes))
            .collect(Collectors.joining(", ", "STRUCT(", ")"));
      }
    };
  }

  /** Refuses a name that DuckDB takes for one of those before. */
  private static void requireOther(Column column, String name, Set<String> before) {
    String folded = UPPER_CASE.matcher(name).replaceAll(c -> c.group().toLowerCase(Locale.ROOT));
    if (!before.add(folded)) {
      throw refused(column, "has a name, '%s', like another but for case".formatted(name));
    }
  }

  private static IllegalArgumentException refused(Column column, String what) {
    return new IllegalArgumentException(
        "column '%s' %s, which cannot be written to Parquet: %s; take --format json"
            .formatted(column.name(), what, column.type()));
  }

  /** Source from which DuckDB reads the rows. */
  private static final class Source implements DuckDBTableFunction<Object, Object, Object> {
    private final Schema schema;
    private final List<Column> columns;
    private final Records records;
    private final KeyView key;
    private final RowView value;
    private @Nullable Exception failure;

    /**
     * @param columns those of the schema, perhaps with one more that shows which rows are ended
     */
    Source(Schema schema, List<Column> columns, Records records) {
      this.schema = schema;
      this.columns = columns;
      this.records = records;
      this.key = KeyView.of(schema);
      this.value = new RowView(RowLayout.ofValues(schema));
    }

    @Override
    public Object bind(DuckDBTableFunctionBindInfo info) throws SQLException {
      for (int i = 0; i < columns.size(); i++) {
        try (DuckDBLogicalType type = given(columns.get(i))) {
          info.addResultColumn("c" + i, type);
        }
      }
      return this;
    }

    @Override
    public Object init(DuckDBTableFunctionInitInfo info) {
      info.setMaxThreads(1);
      return this;
    }

    @Override
    public long apply(DuckDBTableFunctionCallInfo info, DuckDBDataChunkWriter chunk)
        throws IOException {
      try {
        long count = 0;
        while (count < chunk.capacity()) {
          Map.Entry<byte[], byte[]> row = records.next();
          if (row == null) {
            break;
          }
          write(row.getKey(), row.getValue(), chunk, count++);
        }
        return count;
      } catch (IOException | RuntimeException e) {
        failure = e; // which DuckDB makes a text of, with its stack trace
        throw e;
      }
    }

    private void write(byte[] rowKey, byte[] rowValue, DuckDBDataChunkWriter chunk, long row)
        throws IOException {
      int declared = schema.columns().size();
      boolean isEnded = columns.size() > declared && RowLayout.isEnded(rowValue);
      key.wrap(rowKey);
      if (!isEnded) {
        value.wrap(rowValue);
      }
      for (int i = 0; i < declared; i++) {
        DuckDBWritableVector vector = chunk.vector(i);
        int position = schema.keyPosition(i);
        if (position >= 0) {
          write(key, position, columns.get(i), vector, row);
        } else if (isEnded || value.isNull(schema.valuePosition(i))) {
          vector.setNull(row);
        } else {
          write(value, schema.valuePosition(i), columns.get(i), vector, row);
        }
      }
      if (columns.size() > declared) {
        chunk.vector(declared).setBoolean(row, isEnded);
      }
    }

    private static void write(
        FieldView view, int i, Column column, DuckDBWritableVector vector, long row)
        throws IOException {
      ColumnType type = column.type();
      switch (type.isAddress() ? Kind.VARCHAR : type.kind()) {
        case BOOLEAN -> vector.setBoolean(row, view.booleanAt(i));
        case TINYINT -> vector.setByte(row, view.byteAt(i));
        case SMALLINT -> vector.setShort(row, view.shortAt(i));
        case INT -> vector.setInt(row, view.intAt(i));
        case BIGINT -> vector.setLong(row, view.longAt(i));
        case FLOAT -> vector.setFloat(row, view.floatAt(i));
        case DOUBLE -> vector.setDouble(row, view.doubleAt(i));
        case DECIMAL -> vector.setBigDecimal(row, view.decimalAt(i));
        case DATE -> vector.setDate(row, (LocalDate) scalar(view, i, column));
        case TIME ->
            vector.setTimestamp(row, ((LocalTime) scalar(view, i, column)).atDate(LocalDate.EPOCH));
        case TIMESTAMP -> vector.setTimestamp(row, (LocalDateTime) scalar(view, i, column));
        case TIMESTAMP_LTZ ->
            vector.setOffsetDateTime(
                row, ((Instant) scalar(view, i, column)).atOffset(ZoneOffset.UTC));
        case CHAR, VARCHAR, BINARY, VARBINARY ->
            vector.setString(row, text(view, i, scalar(view, i, column), column));
        case ARRAY, MAP, ROW -> {
          StringWriter json = new StringWriter();
          try (JsonGenerator out = ValueParser.JSON.createGenerator(json)) {
            write(view, i, column, out);
          }
          vector.setString(row, json.toString());
        }
      }
    }

    /** Writes a nested value as JSON whose leaves are texts as DuckDB casts them. */
    private static void write(FieldView view, int i, Column column, JsonGenerator out)
        throws IOException {
      if (view.isNull(i)) {
        out.writeNull();
        return;
      }
      ColumnType type = view.type(i);
      switch (type.kind()) {
        case ARRAY -> {
          ArrayView array = view.arrayAt(i);
          out.writeStartArray();
          for (int k = 0; k < array.size(); k++) {
            write(array, k, column, out);
          }
          out.writeEndArray();
        }
        case MAP -> {
          MapView map = view.mapAt(i);
          out.writeStartObject();
          for (int k = 0; k < map.size(); k++) {
            if (map.keys().isNull(k)) {
              throw refused(column, "has a map with NULL as a key");
            }
            out.writeFieldName(leaf(map.keys(), k, column));
            write(map.values(), k, column, out);
          }
          out.writeEndObject();
        }
        case ROW -> {
          RowView fields = view.rowAt(i);
          out.writeStartObject();
          for (int k = 0; k < fields.size(); k++) {
            out.writeFieldName(type.fields().get(k).name());
            write(fields, k, column, out);
          }
          out.writeEndObject();
        }
        default -> out.writeString(leaf(view, i, column));
      }
    }

    /** Returns a value that is not nested further, as DuckDB casts it. */
    private static String leaf(FieldView view, int i, Column column) {
      Object value = scalar(view, i, column);
      if (value instanceof byte[] bytes && !view.type(i).isAddress()) {
        return ESCAPES.formatHex(bytes);
      }
      String text = text(view, i, value, column);
      return value instanceof Temporal && text.startsWith("+")
          ? text.substring(1) // as DuckDB has years above 9999
          : text;
    }

    private static String text(FieldView view, int i, Object value, Column column) {
      String text = RowJsonWriter.scalar(view, i, value);
      if (text == null) {
        throw refused(column, "has text that is not UTF-8");
      }
      return text;
    }

    /** Returns a value that is not nested and that DuckDB can hold. */
    private static Object scalar(FieldView view, int i, Column column) {
      Object value = Objects.requireNonNull(view.valueAt(i));
      if (value instanceof Temporal time
          && time.isSupported(ChronoField.NANO_OF_SECOND)
          && view.type(i).precision() <= 6
          && time.get(ChronoField.NANO_OF_SECOND) % 1000 != 0) {
        throw refused(column, "has %s, finer than microseconds".formatted(time));
      }
      if (value instanceof LocalDate date) {
        return within(FIRST_DATE, date, LAST_DATE, column);
      }
      if (value instanceof LocalDateTime time) {
        return view.type(i).precision() > 6
            ? within(FIRST_NANOS, time, LAST_NANOS, column)
            : within(FIRST_MICROS, time, LAST_MICROS, column);
      }
      if (value instanceof Instant instant) {
        within(FIRST_MICROS, LocalDateTime.ofInstant(instant, ZoneOffset.UTC), LAST_MICROS, column);
      }
      return value;
    }

    private static <T extends Comparable<? super T>> T within(
        T first, T value, T last, Column column) {
      if (value.compareTo(first) < 0 || value.compareTo(last) > 0) {
        throw refused(column, "has %s, outside of %s to %s".formatted(value, first, last));
      }
      return value;
    }
  }
}
