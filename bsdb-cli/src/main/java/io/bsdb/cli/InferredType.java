package io.bsdb.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.bsdb.format.row.ColumnType;
import java.util.regex.Pattern;

/** What the values of a column have been so far, from the most special type to the most general. */
enum InferredType {
  /** Nothing but nulls. */
  UNKNOWN("STRING"),
  BOOLEAN("BOOLEAN"),
  BIGINT("BIGINT"),
  DOUBLE("DOUBLE"),
  STRING("STRING");

  // Whatever has a leading zero is a code, not a number.
  private static final Pattern WHOLE = Pattern.compile("0|-?[1-9]\\d{0,17}");
  private static final Pattern NUMBER =
      Pattern.compile("-?(?:0|[1-9]\\d{0,17})(?:\\.\\d{1,17})?(?:[eE][+-]?\\d{1,2})?");

  private final String type;

  InferredType(String type) {
    this.type = type;
  }

  ColumnType type() {
    return ColumnType.parse(type);
  }

  /** The most special type that has this value. */
  static InferredType of(JsonNode value, RowSource source) {
    if (value.isTextual()) {
      return source.isTyped() ? STRING : ofText(value.textValue());
    }
    if (value.isNull()) {
      return UNKNOWN;
    }
    if (value.isBoolean()) {
      return BOOLEAN;
    }
    if (value.isIntegralNumber() && value.canConvertToLong()) {
      return BIGINT;
    }
    return value.isNumber() && NUMBER.matcher(value.asText()).matches() ? DOUBLE : STRING;
  }

  /** The empty text may be a null of any type. */
  private static InferredType ofText(String text) {
    if (text.isEmpty()) {
      return UNKNOWN;
    }
    if (text.equals("true") || text.equals("false")) {
      return BOOLEAN;
    }
    if (WHOLE.matcher(text).matches()) {
      return BIGINT;
    }
    return NUMBER.matcher(text).matches() ? DOUBLE : STRING;
  }

  /** The most special type that has the values of both. */
  InferredType and(InferredType other) {
    if (this == other || other == UNKNOWN) {
      return this;
    }
    if (this == UNKNOWN) {
      return other;
    }
    boolean numbers = (this == BIGINT || this == DOUBLE) && (other == BIGINT || other == DOUBLE);
    return numbers ? DOUBLE : STRING;
  }

  /** Whether a column that was inferred to be this takes a value that the inference did not see. */
  boolean takes(JsonNode value, RowSource source) {
    return this == STRING || this == UNKNOWN || and(of(value, source)) == this;
  }
}
