package io.bsdb.sql;

import com.fasterxml.jackson.core.JsonParser;
import io.bsdb.row.Column;
import io.bsdb.row.FieldEncoder;
import io.bsdb.row.KeyWriter;
import io.bsdb.row.RowWriter;
import io.bsdb.row.text.ValueParser;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Base64;
import org.duckdb.DuckDBReadableVector;
import org.jspecify.annotations.Nullable;

/** Takes values out of a vector that {@link SourceType#expression} makes. Without state. */
abstract class CellReader {
  private static final long MICROS_PER_DAY = 86_400_000_000L;

  /** Returns a value that is not null, in the class that {@code RowCodec} takes. */
  abstract @Nullable Object value(DuckDBReadableVector vector, int row, Column column)
      throws IOException;

  /** Writes a value to a field. */
  void write(DuckDBReadableVector vector, int row, Column column, RowWriter target, int field)
      throws IOException {
    if (!vector.isNull(row)) {
      FieldEncoder.write(target, field, value(vector, row, column));
    }
  }

  /** Writes a value to the next field of a key. */
  final void write(DuckDBReadableVector vector, int row, Column column, KeyWriter target)
      throws IOException {
    FieldEncoder.write(target, column, vector.isNull(row) ? null : value(vector, row, column));
  }

  static CellReader of(SourceType type) {
    return switch (type.kind()) {
      case PLAIN, CAST, FLOATING -> plain(type);
      case DATE -> DAYS;
      case TIME -> TIME_OF_DAY;
      case TIMESTAMP_SECONDS, TIMESTAMP_MILLIS -> new Timestamps(1000, type);
      case TIMESTAMP_MICROS, TIMESTAMP_ZONED -> new Timestamps(1_000_000, type);
      case TIMESTAMP_NANOS -> new Timestamps(1_000_000_000, type);
      case BLOB -> BASE64;
      case LIST, MAP, STRUCT -> JSON;
    };
  }

  private static CellReader plain(SourceType type) {
    return switch (type.columnType().kind()) {
      case BOOLEAN -> BOOLEAN;
      case TINYINT -> TINYINT;
      case SMALLINT -> SMALLINT;
      case INT -> INT;
      case BIGINT -> BIGINT;
      case FLOAT -> FLOAT;
      case DOUBLE -> DOUBLE;
      case DECIMAL -> DECIMAL;
      case VARCHAR -> TEXT;
      default -> throw new IllegalStateException("no reader of " + type);
    };
  }

  private static final CellReader BOOLEAN =
      new CellReader() {
        @Override
        Object value(DuckDBReadableVector vector, int row, Column column) {
          return vector.getBoolean(row);
        }
      };

  private static final CellReader TINYINT =
      new CellReader() {
        @Override
        Object value(DuckDBReadableVector vector, int row, Column column) {
          return vector.getByte(row);
        }
      };

  private static final CellReader SMALLINT =
      new CellReader() {
        @Override
        Object value(DuckDBReadableVector vector, int row, Column column) {
          return vector.getShort(row);
        }
      };

  private static final CellReader INT =
      new CellReader() {
        @Override
        Object value(DuckDBReadableVector vector, int row, Column column) {
          return vector.getInt(row);
        }

        @Override
        void write(
            DuckDBReadableVector vector, int row, Column column, RowWriter target, int field) {
          if (!vector.isNull(row)) {
            target.setInt(field, vector.getInt(row));
          }
        }
      };

  private static final CellReader BIGINT =
      new CellReader() {
        @Override
        Object value(DuckDBReadableVector vector, int row, Column column) {
          return vector.getLong(row);
        }

        @Override
        void write(
            DuckDBReadableVector vector, int row, Column column, RowWriter target, int field) {
          if (!vector.isNull(row)) {
            target.setLong(field, vector.getLong(row));
          }
        }
      };

  private static final CellReader FLOAT =
      new CellReader() {
        @Override
        Object value(DuckDBReadableVector vector, int row, Column column) {
          return vector.getFloat(row);
        }
      };

  private static final CellReader DOUBLE =
      new CellReader() {
        @Override
        Object value(DuckDBReadableVector vector, int row, Column column) {
          return vector.getDouble(row);
        }

        @Override
        void write(
            DuckDBReadableVector vector, int row, Column column, RowWriter target, int field) {
          if (!vector.isNull(row)) {
            target.setDouble(field, vector.getDouble(row));
          }
        }
      };

  private static final CellReader DECIMAL =
      new CellReader() {
        @Override
        BigDecimal value(DuckDBReadableVector vector, int row, Column column) {
          return vector.getBigDecimal(row);
        }
      };

  private static final CellReader TEXT =
      new CellReader() {
        @Override
        String value(DuckDBReadableVector vector, int row, Column column) {
          return vector.getString(row);
        }

        @Override
        void write(
            DuckDBReadableVector vector, int row, Column column, RowWriter target, int field) {
          String text = vector.getString(row);
          if (text != null) {
            target.setString(field, text);
          }
        }
      };

  /** Text of IP addresses. */
  static final CellReader ADDRESS =
      new CellReader() {
        @Override
        Object value(DuckDBReadableVector vector, int row, Column column) {
          return ValueParser.parse(column, vector.getString(row));
        }
      };

  private static final CellReader DAYS =
      new CellReader() {
        @Override
        LocalDate value(DuckDBReadableVector vector, int row, Column column) {
          return LocalDate.ofEpochDay(vector.getInt(row));
        }
      };

  private static final CellReader TIME_OF_DAY =
      new CellReader() {
        @Override
        LocalTime value(DuckDBReadableVector vector, int row, Column column) {
          long micros = vector.getLong(row);
          if (micros == MICROS_PER_DAY) {
            throw new IllegalArgumentException(
                "column '%s': 24:00:00 is not a time of day".formatted(column.name()));
          }
          return LocalTime.ofNanoOfDay(micros * 1000);
        }
      };

  private static final CellReader BASE64 =
      new CellReader() {
        @Override
        byte[] value(DuckDBReadableVector vector, int row, Column column) {
          byte[] bytes = Base64.getDecoder().decode(vector.getString(row));
          if (column.type().isAddress() && bytes.length != column.type().length()) {
            throw new IllegalArgumentException(
                "column '%s': %d bytes are no IP address; it has %d"
                    .formatted(column.name(), bytes.length, column.type().length()));
          }
          return bytes;
        }
      };

  private static final CellReader JSON =
      new CellReader() {
        @Override
        @Nullable Object value(DuckDBReadableVector vector, int row, Column column)
            throws IOException {
          try (JsonParser in = ValueParser.JSON.createParser(vector.getString(row))) {
            in.nextToken();
            return ValueParser.read(column, in);
          }
        }
      };

  /** Counts of a unit since 1970, as tables store them. */
  private static final class Timestamps extends CellReader {
    private final long perSecond;
    private final boolean zoned;

    Timestamps(long perSecond, SourceType type) {
      this.perSecond = perSecond;
      this.zoned = type.kind() == SourceType.Kind.TIMESTAMP_ZONED;
    }

    @Override
    Object value(DuckDBReadableVector vector, int row, Column column) {
      long units = vector.getLong(row);
      long second = Math.floorDiv(units, perSecond);
      int nano = (int) (Math.floorMod(units, perSecond) * (1_000_000_000 / perSecond));
      return zoned
          ? Instant.ofEpochSecond(second, nano)
          : LocalDateTime.ofEpochSecond(second, nano, ZoneOffset.UTC);
    }

    @Override
    void write(DuckDBReadableVector vector, int row, Column column, RowWriter target, int field) {
      if (!vector.isNull(row)) {
        long units = vector.getLong(row);
        long perMilli = perSecond / 1000;
        target.setTimestamp(
            field,
            Math.floorDiv(units, perMilli),
            (int) (Math.floorMod(units, perMilli) * (1_000_000 / perMilli)));
      }
    }
  }
}
