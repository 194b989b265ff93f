package io.bsdb.row;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * From encoded fields to Java objects, and the conversions of single objects that keys and rows
 * share.
 */
final class JavaValues {
  private static final int NANOS_PER_MILLI = 1_000_000;
  private static final long MILLIS_PER_SECOND = 1000;
  private static final long MILLIS_PER_DAY = 86_400_000;

  private JavaValues() {}

  /** Returns the object for a field, as in the table of {@link RowCodec}. */
  static @Nullable Object read(FieldView view, int i) {
    if (view.isNull(i)) {
      return null;
    }
    ColumnType type = view.type(i);
    return switch (type.kind()) {
      case CHAR, VARCHAR -> view.stringAt(i);
      case BOOLEAN -> view.booleanAt(i);
      case BINARY, VARBINARY -> view.bytesAt(i);
      case DECIMAL -> view.decimalAt(i);
      case TINYINT -> view.byteAt(i);
      case SMALLINT -> view.shortAt(i);
      case INT -> view.intAt(i);
      case BIGINT -> view.longAt(i);
      case FLOAT -> view.floatAt(i);
      case DOUBLE -> view.doubleAt(i);
      case DATE -> LocalDate.ofEpochDay(view.intAt(i));
      case TIME -> time(view.intAt(i));
      case TIMESTAMP -> dateTime(view.epochMillisAt(i), view.nanosOfMilliAt(i));
      case TIMESTAMP_LTZ ->
          Instant.ofEpochMilli(view.epochMillisAt(i)).plusNanos(view.nanosOfMilliAt(i));
      case ARRAY -> list(view.arrayAt(i));
      case MAP -> map(view.mapAt(i));
      case ROW -> row(view.rowAt(i), type.fields());
    };
  }

  private static LocalTime time(int millisOfDay) {
    if (millisOfDay < 0 || millisOfDay >= MILLIS_PER_DAY) {
      throw Damage.found("time: " + millisOfDay + " milliseconds of the day");
    }
    return LocalTime.ofNanoOfDay((long) millisOfDay * NANOS_PER_MILLI);
  }

  private static LocalDateTime dateTime(long epochMillis, int nanosOfMilli) {
    int nanos =
        (int) Math.floorMod(epochMillis, MILLIS_PER_SECOND) * NANOS_PER_MILLI + nanosOfMilli;
    return LocalDateTime.ofEpochSecond(
        Math.floorDiv(epochMillis, MILLIS_PER_SECOND), nanos, ZoneOffset.UTC);
  }

  private static List<@Nullable Object> list(ArrayView array) {
    List<@Nullable Object> list = new ArrayList<>(array.size());
    for (int i = 0; i < array.size(); i++) {
      list.add(read(array, i));
    }
    return Collections.unmodifiableList(list);
  }

  private static Map<@Nullable Object, @Nullable Object> map(MapView view) {
    Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < view.size(); i++) {
      map.put(read(view.keys(), i), read(view.values(), i));
    }
    return Collections.unmodifiableMap(map);
  }

  private static Map<String, @Nullable Object> row(RowView view, List<Column> fields) {
    Map<String, @Nullable Object> row = new LinkedHashMap<>();
    for (int i = 0; i < view.size(); i++) {
      row.put(fields.get(i).name(), read(view, i));
    }
    return Collections.unmodifiableMap(row);
  }

  static <T> T as(Class<T> expected, Object value, Column column) {
    if (!expected.isInstance(value)) {
      throw wrongClass(expected.getSimpleName(), value, column);
    }
    return expected.cast(value);
  }

  static IllegalArgumentException wrongClass(String expected, Object value, Column column) {
    return new IllegalArgumentException(
        "column '%s' is %s: expected %s, got %s"
            .formatted(column.name(), column.type(), expected, value.getClass().getName()));
  }

  private static IllegalArgumentException outOfRange(Object value, Column column) {
    return new IllegalArgumentException(
        "column '" + column.name() + "': " + value + " does not fit " + column.type());
  }

  /** Returns a whole number of any of the four integer classes. */
  static long integer(Object value, Column column, long min, long max) {
    if (value instanceof Long
        || value instanceof Integer
        || value instanceof Short
        || value instanceof Byte) {
      long number = ((Number) value).longValue();
      if (number < min || number > max) {
        throw outOfRange(value, column);
      }
      return number;
    }
    throw wrongClass("a whole number", value, column);
  }

  static double floating(Object value, Column column) {
    if (value instanceof Double || value instanceof Float) {
      return ((Number) value).doubleValue();
    }
    throw wrongClass("Double", value, column);
  }

  static BigDecimal decimal(Object value, Column column) {
    if (value instanceof BigInteger integer) {
      return new BigDecimal(integer);
    }
    return value instanceof BigDecimal decimal
        ? decimal
        : BigDecimal.valueOf(integer(value, column, Long.MIN_VALUE, Long.MAX_VALUE));
  }

  /** Returns the INT of DATE, TIME and INT itself. */
  static int toInt(Object value, Column column) {
    try {
      return switch (column.type().kind()) {
        case DATE -> Math.toIntExact(as(LocalDate.class, value, column).toEpochDay());
        case TIME -> {
          long nanos = as(LocalTime.class, value, column).toNanoOfDay();
          if (nanos % NANOS_PER_MILLI != 0) {
            throw outOfRange(value + " (stored in milliseconds)", column);
          }
          yield (int) (nanos / NANOS_PER_MILLI);
        }
        default -> (int) integer(value, column, Integer.MIN_VALUE, Integer.MAX_VALUE);
      };
    } catch (ArithmeticException e) {
      throw outOfRange(value, column);
    }
  }

  /** Returns the instant of a TIMESTAMP_LTZ; of a TIMESTAMP, what it would be in UTC. */
  static Instant instant(Object value, Column column) {
    return column.type().kind() == ColumnType.Kind.TIMESTAMP
        ? as(LocalDateTime.class, value, column).toInstant(ZoneOffset.UTC)
        : as(Instant.class, value, column);
  }

  /** Returns the instant as {@link #instant} does, if the column is not too coarse for it. */
  static Instant toInstant(Object value, Column column) {
    Instant instant = instant(value, column);
    if (column.type().precision() <= 3 && nanosOfMilli(instant) != 0) {
      throw outOfRange(value + " (stored in milliseconds)", column);
    }
    return instant;
  }

  static long epochMillis(Instant instant, Column column) {
    try {
      return instant.toEpochMilli();
    } catch (ArithmeticException | DateTimeException e) {
      throw outOfRange(instant, column);
    }
  }

  static int nanosOfMilli(Instant instant) {
    return instant.get(ChronoField.NANO_OF_SECOND) % NANOS_PER_MILLI;
  }
}
