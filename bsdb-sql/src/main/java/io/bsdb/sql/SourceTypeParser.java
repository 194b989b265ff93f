package io.bsdb.sql;

import io.bsdb.row.ColumnType;
import io.bsdb.sql.SourceType.Kind;
import io.bsdb.sql.SourceType.Part;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads types as DuckDB names them, such as {@code STRUCT(a INTEGER, "b c" DECIMAL(3,1)[])[]}. */
final class SourceTypeParser {
  private final String column;
  private final String text;
  private int at;

  SourceTypeParser(String column, String text) {
    this.column = column;
    this.text = text;
  }

  SourceType parse() {
    SourceType type = type();
    if (at < text.length()) {
      throw unsupported(text, "CAST it in a query to a type that tables have");
    }
    return type;
  }

  /** One type, with all brackets that follow it. */
  private SourceType type() {
    int start = at;
    SourceType type = simple(start);
    while (at < text.length() && text.charAt(at) == '[') {
      at = text.indexOf(']', at) + 1;
      type = SourceType.list(type);
    }
    return type;
  }

  private SourceType simple(int start) {
    while (at < text.length() && "([,)".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    String name = text.substring(start, at).strip().toUpperCase(Locale.ROOT);
    return switch (name) {
      case "BOOLEAN" -> plain(ColumnType.Kind.BOOLEAN);
      case "TINYINT" -> plain(ColumnType.Kind.TINYINT);
      case "SMALLINT" -> plain(ColumnType.Kind.SMALLINT);
      case "INTEGER" -> plain(ColumnType.Kind.INT);
      case "BIGINT" -> plain(ColumnType.Kind.BIGINT);
      case "UTINYINT" -> SourceType.scalar(Kind.CAST, ColumnType.of(ColumnType.Kind.SMALLINT));
      case "USMALLINT" -> SourceType.scalar(Kind.CAST, ColumnType.of(ColumnType.Kind.INT));
      case "UINTEGER" -> SourceType.scalar(Kind.CAST, ColumnType.of(ColumnType.Kind.BIGINT));
      case "UBIGINT" -> SourceType.scalar(Kind.CAST, ColumnType.decimal(20, 0));
      case "FLOAT" -> SourceType.scalar(Kind.FLOATING, ColumnType.of(ColumnType.Kind.FLOAT));
      case "DOUBLE" -> SourceType.scalar(Kind.FLOATING, ColumnType.of(ColumnType.Kind.DOUBLE));
      case "DECIMAL" -> decimal();
      case "VARCHAR" -> SourceType.scalar(Kind.PLAIN, ColumnType.string());
      case "ENUM" -> {
        skipParameters();
        yield SourceType.scalar(Kind.CAST, ColumnType.string());
      }
      case "UUID", "JSON" -> SourceType.scalar(Kind.CAST, ColumnType.string());
      case "BLOB" -> SourceType.scalar(Kind.BLOB, ColumnType.bytes());
      case "DATE" -> SourceType.scalar(Kind.DATE, ColumnType.of(ColumnType.Kind.DATE));
      case "TIME" -> SourceType.scalar(Kind.TIME, ColumnType.time(3));
      case "TIMESTAMP_S" -> SourceType.scalar(Kind.TIMESTAMP_SECONDS, ColumnType.timestamp(0));
      case "TIMESTAMP_MS" -> SourceType.scalar(Kind.TIMESTAMP_MILLIS, ColumnType.timestamp(3));
      case "TIMESTAMP" -> SourceType.scalar(Kind.TIMESTAMP_MICROS, ColumnType.timestamp(6));
      case "TIMESTAMP_NS" -> SourceType.scalar(Kind.TIMESTAMP_NANOS, ColumnType.timestamp(9));
      case "TIMESTAMP WITH TIME ZONE" ->
          SourceType.scalar(Kind.TIMESTAMP_ZONED, ColumnType.timestampLtz(6));
      case "MAP" -> map();
      case "STRUCT" -> struct();
      case "HUGEINT", "UHUGEINT" ->
          throw unsupported(name, "such as a sum has; CAST it to BIGINT or DECIMAL(38, 0)");
      case "INTERVAL" -> throw unsupported(name, "take epoch_ms(…) of it, or CAST it to VARCHAR");
      case "\"NULL\"" -> throw unsupported("NULL", "CAST it in a query to a type");
      default -> throw unsupported(name, "CAST it in a query to a type that tables have");
    };
  }

  private static SourceType plain(ColumnType.Kind kind) {
    return SourceType.scalar(Kind.PLAIN, ColumnType.of(kind));
  }

  private SourceType decimal() {
    int start = at + 1;
    skipParameters();
    String[] numbers = text.substring(start, at - 1).split(",", -1);
    return SourceType.scalar(
        Kind.PLAIN,
        ColumnType.decimal(
            Integer.parseInt(numbers[0].strip()), Integer.parseInt(numbers[1].strip())));
  }

  private SourceType map() {
    at++;
    SourceType key = type();
    at++;
    SourceType value = type();
    at++;
    return SourceType.map(key, value);
  }

  private SourceType struct() {
    List<Part> fields = new ArrayList<>();
    do {
      at++;
      while (text.charAt(at) == ' ') {
        at++;
      }
      String name = fieldName();
      fields.add(new Part(name, type()));
    } while (text.charAt(at) == ',');
    at++;
    return SourceType.struct(fields);
  }

  private String fieldName() {
    int start = at;
    if (text.charAt(at) != '"') {
      at = Math.max(at, text.indexOf(' ', at));
      String name = text.substring(start, at++);
      if (name.isEmpty() || name.endsWith(",")) {
        throw unsupported(text, "name its fields");
      }
      return name;
    }
    for (at++; text.charAt(at) != '"' || text.startsWith("\"\"", at); at++) {
      if (text.charAt(at) == '"') {
        at++;
      }
    }
    String name = text.substring(start + 1, at).replace("\"\"", "\"");
    at += 2;
    return name;
  }

  /** Skips what stands in parentheses, which may be quoted. */
  private void skipParameters() {
    boolean quoted = false;
    while (at < text.length() && text.charAt(at) == '(') {
      for (; quoted || text.charAt(at) != ')'; at++) {
        quoted ^= text.charAt(at) == '\'';
      }
      at++;
    }
  }

  private IllegalArgumentException unsupported(String type, String advice) {
    return new IllegalArgumentException(
        "column '%s' is of type %s, which tables do not have: %s".formatted(column, type, advice));
  }
}
