package io.bsdb.sql;

import com.fasterxml.jackson.core.JsonParser;
import io.bsdb.row.Column;
import io.bsdb.row.FieldEncoder;
import io.bsdb.row.KeyWriter;
import io.bsdb.row.RowWriter;
import io.bsdb.row.text.ValueParser;
import java.io.IOException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Base64;
import org.duckdb.DuckDBReadableVector;
import org.jspecify.annotations.Nullable;

/** Takes values out of a vector that {@link SourceType#expression} makes. Without state. */
final class CellReader {
  private static final long MICROS_PER_DAY = 86_400_000_000L;

  /** Text of IP addresses. */
  static final CellReader ADDRESS =
      new CellReader(
          (vector, row, column) -> ValueParser.parse(column, vector.getString(row)), null);

  private final Value value;
  private final @Nullable Field field;

  /** Returns a value that is not null, in the class that {@code RowCodec} takes. */
  private interface Value {
    @Nullable Object of(DuckDBReadableVector vector, int row, Column column) throws IOException;
  }

  /** Writes a value that is not null to a field. */
  private interface Field {
    void write(DuckDBReadableVector vector, int row, Column column, RowWriter target, int field);
  }

  /**
   * @param field writes fields of rows without an object for each value; null to write the object
   */
  private CellReader(Value value, @Nullable Field field) {
    this.value = value;
    this.field = field;
  }

  /** Writes a value to a field. */
  void write(DuckDBReadableVector vector, int row, Column column, RowWriter target, int number)
      throws IOException {
    if (vector.isNull(row)) {
      return;
    }
    if (field != null) {
      field.write(vector, row, column, target, number);
    } else {
      FieldEncoder.write(target, number, value.of(vector, row, column));
    }
  }

  /** Writes a value to the next field of a key. */
  void write(DuckDBReadableVector vector, int row, Column column, KeyWriter target)
      throws IOException {
    FieldEncoder.write(target, column, vector.isNull(row) ? null : value.of(vector, row, column));
  }

  static CellReader of(SourceType type) {
    return switch (type.kind()) {
      case PLAIN, CAST, FLOATING -> plain(type);
      case DATE -> new CellReader(CellReader::date, null);
      case TIME -> new CellReader(CellReader::timeOfDay, null);
      case TIMESTAMP_SECONDS, TIMESTAMP_MILLIS -> timestamps(1000, type);
      case TIMESTAMP_MICROS, TIMESTAMP_ZONED -> timestamps(1_000_000, type);
      case TIMESTAMP_NANOS -> timestamps(1_000_000_000, type);
      case BLOB -> new CellReader(CellReader::base64, null);
      case LIST, MAP, STRUCT -> new CellReader(CellReader::json, null);
    };
  }

  private static CellReader plain(SourceType type) {
    return switch (type.columnType().kind()) {
      case BOOLEAN -> new CellReader((vector, row, column) -> vector.getBoolean(row), null);
      case TINYINT -> new CellReader((vector, row, column) -> vector.getByte(row), null);
      case SMALLINT -> new CellReader((vector, row, column) -> vector.getShort(row), null);
      case FLOAT -> new CellReader((vector, row, column) -> vector.getFloat(row), null);
      case DECIMAL -> new CellReader((vector, row, column) -> vector.getBigDecimal(row), null);
      case INT ->
          new CellReader(
              (vector, row, column) -> vector.getInt(row),
              (vector, row, column, target, field) -> target.setInt(field, vector.getInt(row)));
      case BIGINT ->
          new CellReader(
              (vector, row, column) -> vector.getLong(row),
              (vector, row, column, target, field) -> target.setLong(field, vector.getLong(row)));
      case DOUBLE ->
          new CellReader(
              (vector, row, column) -> vector.getDouble(row),
              (vector, row, column, target, field) ->
                  target.setDouble(field, vector.getDouble(row)));
      case VARCHAR ->
          new CellReader(
              (vector, row, column) -> vector.getString(row),
              (vector, row, column, target, field) ->
                  target.setString(field, vector.getString(row)));
      default -> throw new IllegalStateException("no reader of " + type);
    };
  }

  private static LocalDate date(DuckDBReadableVector vector, int row, Column column) {
    int day = vector.getInt(row);
    if (day == SourceType.INFINITE_DATE) {
      throw infinite(column);
    }
    return LocalDate.ofEpochDay(day);
  }

  private static IllegalArgumentException infinite(Column column) {
    return new IllegalArgumentException(
        "column '%s': an infinite date or time cannot be stored".formatted(column.name()));
  }

  private static LocalTime timeOfDay(DuckDBReadableVector vector, int row, Column column) {
    long micros = vector.getLong(row);
    if (micros == MICROS_PER_DAY) {
      throw new IllegalArgumentException(
          "column '%s': 24:00:00 is not a time of day".formatted(column.name()));
    }
    return LocalTime.ofNanoOfDay(micros * 1000);
  }

  private static byte[] base64(DuckDBReadableVector vector, int row, Column column) {
    byte[] bytes = Base64.getDecoder().decode(vector.getString(row));
    if (column.type().isAddress() && bytes.length != column.type().length()) {
      throw new IllegalArgumentException(
          "column '%s': %d bytes are no IP address; it has %d"
              .formatted(column.name(), bytes.length, column.type().length()));
    }
    return bytes;
  }

  private static @Nullable Object json(DuckDBReadableVector vector, int row, Column column)
      throws IOException {
    try (JsonParser in = ValueParser.JSON.createParser(vector.getString(row))) {
      in.nextToken();
      return ValueParser.read(column, in);
    }
  }

  /** Counts of a unit since 1970, as tables store them. */
  private static CellReader timestamps(long perSecond, SourceType type) {
    boolean zoned = type.kind() == SourceType.Kind.TIMESTAMP_ZONED;
    long perMilli = perSecond / 1000;
    return new CellReader(
        (vector, row, column) -> {
          long units = finite(vector, row, column);
          long second = Math.floorDiv(units, perSecond);
          int nano = (int) (Math.floorMod(units, perSecond) * (1_000_000_000 / perSecond));
          return zoned
              ? Instant.ofEpochSecond(second, nano)
              : LocalDateTime.ofEpochSecond(second, nano, ZoneOffset.UTC);
        },
        (vector, row, column, target, field) -> {
          long units = finite(vector, row, column);
          target.setTimestamp(
              field,
              Math.floorDiv(units, perMilli),
              (int) (Math.floorMod(units, perMilli) * (1_000_000 / perMilli)));
        });
  }

  private static long finite(DuckDBReadableVector vector, int row, Column column) {
    long units = vector.getLong(row);
    if (units == SourceType.INFINITE_TIME) {
      throw infinite(column);
    }
    return units;
  }
}
