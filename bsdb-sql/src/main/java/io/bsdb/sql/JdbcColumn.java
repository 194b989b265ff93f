package io.bsdb.sql;

import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.ColumnType.Kind;
import io.bsdb.row.text.ValueParser;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A column of a JDBC query: its type in a table, and how its values come out of the driver. */
record JdbcColumn(Column column, Getter getter) {
  /** Gets the value of the current row, in the class that {@code RowCodec} takes. */
  interface Getter {
    @Nullable Object get(ResultSet rows, int number) throws SQLException;
  }

  /**
   * Returns the column of a query's result.
   *
   * @param number from 1
   * @throws IllegalArgumentException if tables have no such type
   */
  static JdbcColumn of(ResultSetMetaData types, int number) throws SQLException {
    String name = types.getColumnLabel(number);
    String typeName = String.valueOf(types.getColumnTypeName(number)).toUpperCase(Locale.ROOT);
    boolean unsigned = typeName.contains("UNSIGNED");
    String javaClass = types.getColumnClassName(number);
    return switch (types.getColumnType(number)) {
      case Types.BOOLEAN -> plain(name, Kind.BOOLEAN, ResultSet::getBoolean);
      case Types.BIT -> {
        if (types.getPrecision(number) > 1) {
          throw unknown(name, typeName);
        }
        yield plain(name, Kind.BOOLEAN, ResultSet::getBoolean);
      }
      case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT ->
          wholeNumber(name, types.getColumnType(number), unsigned, javaClass);
      case Types.REAL, Types.FLOAT, Types.DOUBLE ->
          floating(name, types.getColumnType(number), javaClass);
      case Types.DECIMAL, Types.NUMERIC ->
          decimal(name, types.getPrecision(number), types.getScale(number));
      case Types.CHAR,
          Types.VARCHAR,
          Types.LONGVARCHAR,
          Types.NCHAR,
          Types.NVARCHAR,
          Types.LONGNVARCHAR,
          Types.CLOB,
          Types.NCLOB ->
          column(name, ColumnType.string(), ResultSet::getString);
      case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB ->
          column(name, ColumnType.bytes(), ResultSet::getBytes);
      case Types.DATE ->
          column(name, ColumnType.of(Kind.DATE), (rows, i) -> rows.getObject(i, LocalDate.class));
      case Types.TIME ->
          column(name, ColumnType.time(3), (rows, i) -> rows.getObject(i, LocalTime.class));
      case Types.TIMESTAMP ->
          typeName.contains("TIMESTAMPTZ") || typeName.contains("WITH TIME ZONE")
              ? zoned(name)
              : column(
                  name,
                  ColumnType.timestamp(6),
                  (rows, i) -> rows.getObject(i, LocalDateTime.class));
      case Types.TIMESTAMP_WITH_TIMEZONE -> zoned(name);
      default -> throw unknown(name, typeName);
    };
  }

  private static JdbcColumn wholeNumber(String name, int type, boolean unsigned, String javaClass) {
    if (isAnything(javaClass)) {
      return column(name, ColumnType.of(Kind.BIGINT), ResultSet::getObject);
    }
    return switch (type) {
      case Types.TINYINT -> plain(name, Kind.SMALLINT, ResultSet::getShort);
      case Types.SMALLINT ->
          unsigned
              ? plain(name, Kind.INT, ResultSet::getInt)
              : plain(name, Kind.SMALLINT, ResultSet::getShort);
      case Types.INTEGER ->
          unsigned
              ? plain(name, Kind.BIGINT, ResultSet::getLong)
              : plain(name, Kind.INT, ResultSet::getInt);
      default ->
          unsigned
              ? column(name, ColumnType.decimal(20, 0), ResultSet::getBigDecimal)
              : plain(name, Kind.BIGINT, ResultSet::getLong);
    };
  }

  private static JdbcColumn floating(String name, int type, String javaClass) {
    if (isAnything(javaClass)) {
      return column(name, ColumnType.of(Kind.DOUBLE), ResultSet::getObject);
    }
    return type == Types.REAL && Float.class.getName().equals(javaClass)
        ? plain(name, Kind.FLOAT, ResultSet::getFloat)
        : plain(name, Kind.DOUBLE, ResultSet::getDouble);
  }

  /**
   * Returns whether each value of a column has a type of its own, as in SQLite, whose driver makes
   * what a getter asks for of anything: the lower bits of a longer number, 0 of a text.
   */
  private static boolean isAnything(String javaClass) {
    return Object.class.getName().equals(javaClass);
  }

  private static JdbcColumn column(String name, ColumnType type, Getter getter) {
    return new JdbcColumn(new Column(name, type), getter);
  }

  /** For primitives, whose getters return a number for NULL. */
  private static JdbcColumn plain(String name, Kind kind, Getter getter) {
    return column(
        name,
        ColumnType.of(kind),
        (rows, i) -> {
          Object value = getter.get(rows, i);
          return rows.wasNull() ? null : value;
        });
  }

  private static JdbcColumn zoned(String name) {
    return column(
        name,
        ColumnType.timestampLtz(6),
        (rows, i) -> {
          OffsetDateTime time = rows.getObject(i, OffsetDateTime.class);
          return time == null ? null : time.toInstant();
        });
  }

  private static JdbcColumn decimal(String name, int precision, int scale) {
    if (precision < 1
        || precision > ColumnType.MAX_DECIMAL_PRECISION
        || scale < 0
        || scale > precision) {
      throw new IllegalArgumentException(
          "column '%s' is a number without limits, or with others than tables have (precision=%d scale=%d): write CAST(%s AS DECIMAL(p, s)) in the query"
              .formatted(name, precision, scale, name));
    }
    return column(name, ColumnType.decimal(precision, scale), ResultSet::getBigDecimal);
  }

  private static IllegalArgumentException unknown(String name, String typeName) {
    return new IllegalArgumentException(
        "column '%s': tables have no type for %s; CAST it in the query".formatted(name, typeName));
  }

  String name() {
    return column.name();
  }

  @Nullable Object value(ResultSet rows, int number) throws SQLException {
    return getter.get(rows, number);
  }

  /**
   * Returns the column with IP addresses as values: of text, of BIGINT, or of 16 bytes.
   *
   * @throws IllegalArgumentException if it is of another type
   */
  JdbcColumn ofAddresses() {
    Column addresses = new Column(name(), column.type().ofAddresses());
    return column.type().kind() == Kind.VARCHAR
        ? new JdbcColumn(
            addresses,
            (rows, i) -> {
              String text = rows.getString(i);
              return text == null ? null : ValueParser.parse(addresses, text);
            })
        : new JdbcColumn(addresses, getter);
  }
}
