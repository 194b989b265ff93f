package io.bsdb.row;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A row of a table, read by column name. Get one from {@link RowCodec#decode}. Columns are decoded
 * when asked for.
 *
 * <p>Accessors of objects return null for null; those of primitives throw {@link
 * IllegalStateException}, so ask {@link #isNull} first. An unknown name, one that is not
 * {@linkplain RowCodec#selecting selected}, or an accessor that does not fit the column's type,
 * throws {@link IllegalArgumentException}. Damaged bytes throw {@link java.io.UncheckedIOException}
 * caused by {@link io.bsdb.format.CorruptSnapshotException}.
 *
 * <p>Immutable and safe for use by many threads, as long as nobody changes the bytes that it was
 * made of.
 */
public final class Row {
  private final RowCodec codec;
  private final Schema schema;
  private final KeyView key;
  private final RowView value;

  Row(RowCodec codec, KeyView key, RowView value) {
    this.codec = codec;
    this.schema = codec.schema();
    this.key = key;
    this.value = value;
  }

  public Schema schema() {
    return schema;
  }

  public boolean isNull(String name) {
    int position = codec.position(name);
    return schema.keyPosition(position) < 0 && value.isNull(schema.valuePosition(position));
  }

  /** Returns the column's value in the class that {@link RowCodec} lists for its type. */
  public @Nullable Object value(String name) {
    int position = codec.position(name);
    int keyPosition = schema.keyPosition(position);
    return keyPosition >= 0
        ? key.valueAt(keyPosition)
        : value.valueAt(schema.valuePosition(position));
  }

  /** Returns a CHAR or VARCHAR. */
  public @Nullable String string(String name) {
    return as(String.class, name);
  }

  /** Returns a BOOLEAN. */
  public boolean booleanValue(String name) {
    return notNull(Boolean.class, name);
  }

  /** Returns a TINYINT, SMALLINT or INT. */
  public int intValue(String name) {
    Number number = notNull(Number.class, name);
    if (number instanceof Integer || number instanceof Short || number instanceof Byte) {
      return number.intValue();
    }
    throw wrongAccessor(name, "an int");
  }

  /** Returns a TINYINT, SMALLINT, INT or BIGINT. */
  public long longValue(String name) {
    Number number = notNull(Number.class, name);
    return number instanceof Long whole ? whole : intValue(name);
  }

  /** Returns a FLOAT. */
  public float floatValue(String name) {
    return notNull(Float.class, name);
  }

  /** Returns a FLOAT or DOUBLE. */
  public double doubleValue(String name) {
    Number number = notNull(Number.class, name);
    if (number instanceof Double || number instanceof Float) {
      return number.doubleValue();
    }
    throw wrongAccessor(name, "a double");
  }

  /** Returns a DECIMAL, at the declared scale. */
  public @Nullable BigDecimal decimal(String name) {
    return as(BigDecimal.class, name);
  }

  /** Returns a DATE. */
  public @Nullable LocalDate date(String name) {
    return as(LocalDate.class, name);
  }

  /** Returns a TIME. */
  public @Nullable LocalTime time(String name) {
    return as(LocalTime.class, name);
  }

  /** Returns a TIMESTAMP. */
  public @Nullable LocalDateTime dateTime(String name) {
    return as(LocalDateTime.class, name);
  }

  /** Returns a TIMESTAMP_LTZ. */
  public @Nullable Instant instant(String name) {
    return as(Instant.class, name);
  }

  /** Returns a copy of a BINARY or VARBINARY. */
  public byte @Nullable [] bytes(String name) {
    return as(byte[].class, name);
  }

  /** Returns an ARRAY. */
  @SuppressWarnings("unchecked")
  public @Nullable List<@Nullable Object> list(String name) {
    return (List<@Nullable Object>) as(List.class, name);
  }

  /** Returns a MAP, or a ROW as a map from field name to value. */
  @SuppressWarnings("unchecked")
  public @Nullable Map<@Nullable Object, @Nullable Object> map(String name) {
    return (Map<@Nullable Object, @Nullable Object>) as(Map.class, name);
  }

  private <T> @Nullable T as(Class<T> expected, String name) {
    Object found = value(name);
    if (found != null && !expected.isInstance(found)) {
      throw wrongAccessor(name, expected.getSimpleName());
    }
    return expected.cast(found);
  }

  private <T> T notNull(Class<T> expected, String name) {
    T found = as(expected, name);
    if (found == null) {
      throw new IllegalStateException("column '" + name + "' is null");
    }
    return found;
  }

  private IllegalArgumentException wrongAccessor(String name, String wanted) {
    return new IllegalArgumentException(
        "column '" + name + "' is " + schema.column(name).type() + ", not read as " + wanted);
  }

  /** Returns whether the other row has the same schema and the same encoded key and value. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Row row
        && schema.equals(row.schema)
        && key.sameBytes(row.key)
        && value.sameBytes(row.value);
  }

  @Override
  public int hashCode() {
    return 31 * key.hashOfBytes() + value.hashOfBytes();
  }

  /**
   * Returns the values by name, for messages and debuggers. Package {@code io.bsdb.row.text} writes
   * JSON.
   */
  @Override
  public String toString() {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    for (Column column : schema.columns()) {
      if (!codec.selects(schema.position(column.name()))) {
        continue;
      }
      Object value = value(column.name());
      values.put(
          column.name(), value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : value);
    }
    return values.toString();
  }
}
