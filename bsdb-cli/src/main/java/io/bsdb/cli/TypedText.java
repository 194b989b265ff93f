package io.bsdb.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Values of columns, given as text. */
final class TypedText {
  private TypedText() {}

  /**
   * The values of a key's columns: the text itself if there is one column; else a JSON array, or
   * values with commas between.
   *
   * @throws IllegalArgumentException if the text does not fit the columns
   */
  static List<Object> parseKey(List<Column> columns, String text) {
    if (columns.size() == 1) {
      return List.of(parse(columns.get(0), text));
    }
    List<String> parts = text.startsWith("[") ? jsonArray(text) : List.of(text.split(",", -1));
    if (parts.size() != columns.size()) {
      throw new IllegalArgumentException(
          "%d values for the key columns %s; a JSON array such as '[\"a,b\", 1]' may hold commas"
              .formatted(parts.size(), columns));
    }
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < parts.size(); i++) {
      values.add(parse(columns.get(i), parts.get(i)));
    }
    return values;
  }

  private static List<String> jsonArray(String text) {
    List<String> parts = new ArrayList<>();
    try {
      for (JsonNode node : JsonLinesSource.parse(text)) {
        if (!node.isValueNode() || node.isNull()) {
          throw new IllegalArgumentException("a key has no value like " + node);
        }
        parts.add(node.asText());
      }
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not a JSON array: " + e.getOriginalMessage(), e);
    }
    return parts;
  }

  /**
   * The value of a column, in the class that {@code RowCodec} expects. Bytes are given in Base64,
   * dates and times as ISO 8601.
   *
   * @throws IllegalArgumentException if the text does not fit the column
   */
  static Object parse(Column column, String text) {
    try {
      return parse(column.type(), text);
    } catch (IllegalArgumentException | DateTimeException | ArithmeticException e) {
      throw new IllegalArgumentException("'%s' is not a value of %s".formatted(text, column), e);
    }
  }

  private static Object parse(ColumnType type, String text) {
    return switch (type.kind()) {
      case CHAR, VARCHAR -> text;
      case BOOLEAN -> parseBoolean(text);
      case BINARY, VARBINARY -> Base64.getDecoder().decode(text);
      case DECIMAL -> new BigDecimal(text).setScale(type.scale());
      case TINYINT -> Byte.valueOf(text);
      case SMALLINT -> Short.valueOf(text);
      case INT -> Integer.valueOf(text);
      case BIGINT -> Long.valueOf(text);
      case FLOAT -> Float.valueOf(text);
      case DOUBLE -> Double.valueOf(text);
      case DATE -> LocalDate.parse(text);
      case TIME -> LocalTime.parse(text);
      case TIMESTAMP -> LocalDateTime.parse(iso(text));
      case TIMESTAMP_LTZ -> parseInstant(iso(text));
      case ARRAY, MAP, ROW -> throw new IllegalArgumentException("not given as text");
    };
  }

  private static Boolean parseBoolean(String text) {
    if (text.equalsIgnoreCase("true")) {
      return true;
    }
    if (text.equalsIgnoreCase("false")) {
      return false;
    }
    throw new IllegalArgumentException("neither true nor false");
  }

  /** SQL writes a space where ISO 8601 has a T. */
  private static String iso(String text) {
    return text.length() > 10 && text.charAt(10) == ' '
        ? text.substring(0, 10) + 'T' + text.substring(11)
        : text;
  }

  private static Instant parseInstant(String text) {
    return OffsetDateTime.parse(text).toInstant();
  }
}
