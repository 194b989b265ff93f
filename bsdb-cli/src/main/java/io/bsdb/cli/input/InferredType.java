package io.bsdb.cli.input;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonParser.NumberType;
import io.bsdb.row.ColumnType;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.regex.Pattern;

/** Type of the values of a column so far, from the most specific to the most general. */
enum InferredType {
  /** Nothing but nulls. */
  UNKNOWN("STRING"),
  BOOLEAN("BOOLEAN"),
  /** Whole numbers, each of which a double holds as well. */
  BIGINT("BIGINT"),
  /** Whole numbers, some of which no double holds. */
  LARGE_BIGINT("BIGINT"),
  DOUBLE("DOUBLE"),
  DATE("DATE"),
  STRING("STRING");

  /** With so many digits, every decimal number survives being a double. */
  private static final int SAFE_DIGITS = 15;

  // Whatever has a leading zero is a code, not a number.
  private static final Pattern WHOLE = Pattern.compile("0|-?[1-9]\\d{0,17}");
  private static final Pattern NUMBER =
      Pattern.compile("-?(?:0|[1-9]\\d{0,17})(?:\\.\\d{1,17})?(?:[eE][+-]?\\d{1,2})?");

  private static final Pattern DAY = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");

  private final String type;

  InferredType(String type) {
    this.type = type;
  }

  ColumnType type() {
    return ColumnType.parse(type);
  }

  /** Returns the most specific type that has this JSON value. */
  static InferredType of(JsonParser value) throws IOException {
    return switch (value.currentToken()) {
      case VALUE_NULL -> UNKNOWN;
      case VALUE_TRUE, VALUE_FALSE -> BOOLEAN;
      case VALUE_NUMBER_INT ->
          value.getNumberType() == NumberType.BIG_INTEGER
              ? ofNumber(value.getText())
              : ofWhole(value.getText());
      case VALUE_NUMBER_FLOAT -> ofNumber(value.getText());
      default -> STRING;
    };
  }

  /**
   * Returns the most specific type that has the value of this text; empty text may be a null of any
   * type.
   */
  static InferredType of(String text) {
    if (text.isEmpty()) {
      return UNKNOWN;
    }
    if (text.equals("true") || text.equals("false")) {
      return BOOLEAN;
    }
    if (DAY.matcher(text).matches()) {
      return isDate(text) ? DATE : STRING;
    }
    return WHOLE.matcher(text).matches() ? ofWhole(text) : ofNumber(text);
  }

  private static boolean isDate(String text) {
    try {
      LocalDate unused = LocalDate.parse(text);
      return true;
    } catch (DateTimeParseException e) {
      return false;
    }
  }

  private static InferredType ofWhole(String text) {
    return isDouble(text) ? BIGINT : LARGE_BIGINT;
  }

  private static InferredType ofNumber(String text) {
    return NUMBER.matcher(text).matches() && isDouble(text) ? DOUBLE : STRING;
  }

  /** Returns whether a double that is made of this number prints as the same number. */
  private static boolean isDouble(String number) {
    if (number.length() <= SAFE_DIGITS) {
      return true;
    }
    BigDecimal exact = new BigDecimal(number);
    return exact.precision() <= SAFE_DIGITS
        || BigDecimal.valueOf(exact.doubleValue()).compareTo(exact) == 0;
  }

  /** Returns the most specific type that has the values of both. */
  InferredType and(InferredType other) {
    if (this == other || other == UNKNOWN) {
      return this;
    }
    if (this == UNKNOWN) {
      return other;
    }
    if (this == BIGINT && (other == LARGE_BIGINT || other == DOUBLE)) {
      return other;
    }
    return other == BIGINT && (this == LARGE_BIGINT || this == DOUBLE) ? this : STRING;
  }

  /**
   * Returns whether a column that was inferred to be this takes a value that the inference did not
   * see.
   */
  boolean takes(InferredType seen) {
    return this == STRING || this == UNKNOWN || and(seen).type.equals(type);
  }
}
