package io.bsdb.sql;

import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import java.util.ArrayList;
import java.util.List;

/**
 * A type of DuckDB that tables have, too.
 *
 * @param parts element of LIST; key and value of MAP; fields of STRUCT
 */
record SourceType(Kind kind, ColumnType columnType, List<Part> parts) {
  /** What stands for an infinite date or time, which DuckDB has beyond all others. */
  static final int INFINITE_DATE = Integer.MAX_VALUE;

  static final long INFINITE_TIME = Long.MAX_VALUE;

  /** Form in which DuckDB returns values. */
  enum Kind {
    /** As they are. */
    PLAIN,
    /** To be cast to a type of DuckDB that is handed out as it is. */
    CAST,
    FLOATING,
    DATE,
    TIME,
    TIMESTAMP_SECONDS,
    TIMESTAMP_MILLIS,
    TIMESTAMP_MICROS,
    TIMESTAMP_NANOS,
    TIMESTAMP_ZONED,
    BLOB,
    LIST,
    MAP,
    STRUCT
  }

  /** A named type within a type. */
  record Part(String name, SourceType type) {}

  SourceType {
    parts = List.copyOf(parts);
  }

  static SourceType scalar(Kind kind, ColumnType columnType) {
    return new SourceType(kind, columnType, List.of());
  }

  static SourceType list(SourceType element) {
    return new SourceType(
        Kind.LIST, ColumnType.array(element.columnType), List.of(new Part("element", element)));
  }

  static SourceType map(SourceType key, SourceType value) {
    return new SourceType(
        Kind.MAP,
        ColumnType.map(key.columnType, value.columnType),
        List.of(new Part("key", key), new Part("value", value)));
  }

  static SourceType struct(List<Part> fields) {
    List<Column> columns = new ArrayList<>();
    fields.forEach(field -> columns.add(new Column(field.name, field.type.columnType)));
    return new SourceType(Kind.STRUCT, ColumnType.row(columns), fields);
  }

  /**
   * Parses a type as DuckDB names it.
   *
   * @param column named in messages
   * @throws IllegalArgumentException if tables have no such type
   */
  static SourceType parse(String column, String text) {
    return new SourceTypeParser(column, text).parse();
  }

  /** Returns SQL that makes of a value what {@link CellReader} reads. */
  String expression(String value) {
    return switch (kind) {
      case PLAIN, FLOATING -> value;
      case CAST -> "CAST(%s AS %s)".formatted(value, castTarget());
      case DATE ->
          finite(
              value,
              "CAST(%s - DATE '1970-01-01' AS INTEGER)".formatted(value),
              Integer.toString(INFINITE_DATE));
      case TIME -> "epoch_us(%s)".formatted(value);
      case TIMESTAMP_SECONDS, TIMESTAMP_MILLIS ->
          finite(value, "epoch_ms(%s)".formatted(value), Long.toString(INFINITE_TIME));
      case TIMESTAMP_MICROS, TIMESTAMP_ZONED ->
          finite(value, "epoch_us(%s)".formatted(value), Long.toString(INFINITE_TIME));
      case TIMESTAMP_NANOS ->
          finite(value, "epoch_ns(%s)".formatted(value), Long.toString(INFINITE_TIME));
      case BLOB -> "base64(%s)".formatted(value);
      case LIST, MAP, STRUCT -> "CAST(to_json(%s) AS VARCHAR)".formatted(json(value, 0));
    };
  }

  private String castTarget() {
    return switch (columnType.kind()) {
      case VARCHAR -> "VARCHAR";
      case INT -> "INTEGER";
      case DECIMAL -> "DECIMAL(" + columnType.precision() + ", " + columnType.scale() + ")";
      default -> columnType.kind().name();
    };
  }

  /** DuckDB's functions take what is infinite for NULL, or for a number. */
  private static String finite(String value, String expression, String infinite) {
    return "CASE WHEN isinf(%s) THEN %s ELSE %s END".formatted(value, infinite, expression);
  }

  /** The same for JSON, of which no type has infinity. */
  private static String finite(String value, String expression) {
    return finite(value, expression, "CAST(%s AS VARCHAR)".formatted(value));
  }

  /** Returns SQL that makes text as in ISO 8601 of a date or time of any year. */
  private static String iso(String value, String rest) {
    return ("CASE WHEN year(%1$s) > 9999 THEN '+' ELSE '' END"
            + " || format(CASE WHEN year(%1$s) < 0 THEN '{:05d}' ELSE '{:04d}' END, year(%1$s))"
            + " || strftime(%1$s, '%2$s')")
        .formatted(value, rest);
  }

  /** Returns SQL that makes of a value the JSON that {@code ValueParser} reads. */
  private String json(String value, int depth) {
    String inner = "e" + depth;
    return switch (kind) {
      case PLAIN, CAST, TIME -> "CAST(%s AS VARCHAR)".formatted(value);
      case DATE -> finite(value, iso(value, "-%m-%d"));
      case TIMESTAMP_SECONDS, TIMESTAMP_MILLIS, TIMESTAMP_MICROS ->
          finite(value, iso(value, "-%m-%dT%H:%M:%S.%f"));
      case TIMESTAMP_NANOS -> finite(value, iso(value, "-%m-%dT%H:%M:%S.%n"));
      case TIMESTAMP_ZONED ->
          finite(value, iso("(%s AT TIME ZONE 'UTC')".formatted(value), "-%m-%dT%H:%M:%S.%fZ"));
      case FLOATING -> // not CAST(… AS VARCHAR), which in DuckDB 2.0.0 doubles 2^81
          ("CASE WHEN isfinite(%1$s) THEN CAST(to_json(%1$s) AS VARCHAR) WHEN isnan(%1$s) THEN 'NaN'"
                  + " WHEN %1$s > 0 THEN 'Infinity' WHEN %1$s < 0 THEN '-Infinity' END")
              .formatted(value);
      case BLOB -> expression(value);
      case LIST ->
          "list_transform(%s, lambda %s: %s)"
              .formatted(value, inner, parts.get(0).type.json(inner, depth + 1));
      case MAP ->
          "list_transform(map_entries(%s), lambda %s: json_array(%s, %s))"
              .formatted(
                  value,
                  inner,
                  parts.get(0).type.json(inner + ".key", depth + 1),
                  parts.get(1).type.json(inner + ".value", depth + 1));
      case STRUCT -> {
        List<String> fields = new ArrayList<>();
        for (Part part : parts) {
          String name = quoted(part.name);
          fields.add(name);
          fields.add(part.type.json("struct_extract(%s, %s)".formatted(value, name), depth + 1));
        }
        yield "CASE WHEN %s IS NOT NULL THEN json_object(%s) END"
            .formatted(value, String.join(", ", fields));
      }
    };
  }

  /** Returns a text as SQL. */
  static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
