package io.bsdb.row;

import static io.bsdb.format.SnapshotFormat.MAX_KEY_LENGTH;

import io.bsdb.format.Internal;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Encodes keys: one call per column of the primary key, in key order, then {@link #toBytes()}.
 * Reusable after {@link #reset()}; one per thread.
 *
 * <p>A single column of type STRING, BYTES, INT, BIGINT, SMALLINT, FLOAT, DOUBLE or BOOLEAN gets
 * the bytes that Kafka's serializer of that type writes, with one exception: −0.0 becomes 0.0, and
 * every NaN the same NaN, so that equal keys have equal bytes. Keys of a schema with {@link
 * KeyEncoding#ORDERED} have other bytes, whose order is that of the values.
 *
 * <p>A method that does not fit the next column throws {@link IllegalArgumentException}, as does a
 * value outside its column's range, or null.
 */
public final class KeyWriter {
  private static final int NANOS_PER_MILLI = 1_000_000;

  private final List<Column> columns;
  private final Storage[] storages;
  private final KeyEncoding encoding;
  private final long sign;
  private final KeyBuffer out;
  private long textStart; // of the last column, if that is a text or bytes
  private int next;
  private @Nullable String refused; // what is wrong with a value that was not stored
  private @Nullable String tooFine; // what is wrong with a last column whose milliseconds were

  /** Returns a writer of keys of this schema, in its encoding. */
  public static KeyWriter of(Schema schema) {
    return new KeyWriter(schema);
  }

  private KeyWriter(Schema schema) {
    this.columns = schema.keyColumns();
    this.storages = schema.keyStorages;
    this.encoding = schema.keyEncoding();
    this.sign = encoding.sign();
    this.out = new KeyBuffer(encoding, storages.length);
    this.textStart = Long.MAX_VALUE;
  }

  /**
   * Encodes the key that has some leading columns and a time as its last column; what that column
   * is too coarse for is cut off.
   *
   * @param prefix of all columns but the last, as {@link #toPrefix} returns it
   * @param time in UTC if the column has no time zone
   * @throws IllegalArgumentException if the prefix is of other columns, or the last column is no
   *     TIMESTAMP or TIMESTAMP_LTZ
   */
  public static byte[] asOf(Schema schema, byte[] prefix, Instant time) {
    KeyWriter writer = of(schema);
    int last = writer.storages.length - 1;
    writer.next = last;
    int at = writer.out.reserve(prefix.length);
    System.arraycopy(prefix, 0, writer.out.bytes(), at, prefix.length);
    writer.writeTimestamp(
        JavaValues.epochMillis(time, writer.columns.get(last)), JavaValues.nanosOfMilli(time));
    byte[] key = writer.toFloor();
    try {
      if (KeyView.of(schema).wrap(key).leadingLength() == prefix.length) {
        return key;
      }
    } catch (UncheckedIOException e) {
      // reported below
    }
    throw new IllegalArgumentException(
        "%d bytes are not the values of %s: leave out only '%s', the last column of the key, which is the time"
            .formatted(
                prefix.length,
                schema.primaryKey().subList(0, last),
                schema.primaryKey().get(last)));
  }

  /** Starts a new key. */
  public KeyWriter reset() {
    out.clear();
    textStart = Long.MAX_VALUE;
    next = 0;
    refused = null;
    tooFine = null;
    return this;
  }

  /** Writes a BOOLEAN. */
  public KeyWriter writeBoolean(boolean value) {
    int at = fixed(Storage.BOOLEAN);
    out.bytes()[at] = (byte) (value ? 1 : 0);
    return this;
  }

  /** Writes a TINYINT. */
  public KeyWriter writeByte(byte value) {
    int at = fixed(Storage.BYTE);
    out.bytes()[at] = (byte) (value ^ (sign >>> 56));
    return this;
  }

  /** Writes a SMALLINT. */
  public KeyWriter writeShort(short value) {
    int at = fixed(Storage.SHORT);
    BigEndian.putShort(out.bytes(), at, (short) (value ^ (sign >>> 48)));
    return this;
  }

  /** Writes an INT, a DATE in days since 1970-01-01, or a TIME in milliseconds since midnight. */
  public KeyWriter writeInt(int value) {
    int at = fixed(Storage.INT);
    BigEndian.putInt(out.bytes(), at, value ^ (int) (sign >>> 32));
    return this;
  }

  /** Writes a BIGINT. */
  public KeyWriter writeLong(long value) {
    int at = fixed(Storage.LONG);
    BigEndian.putLong(out.bytes(), at, value ^ sign);
    return this;
  }

  /** Writes a FLOAT. */
  public KeyWriter writeFloat(float value) {
    int at = fixed(Storage.FLOAT);
    int bits = Float.floatToIntBits(value == 0 ? 0f : value);
    BigEndian.putInt(out.bytes(), at, encoding.encodeFloat(bits));
    return this;
  }

  /** Writes a DOUBLE. */
  public KeyWriter writeDouble(double value) {
    int at = fixed(Storage.DOUBLE);
    long bits = Double.doubleToLongBits(value == 0 ? 0d : value);
    BigEndian.putLong(out.bytes(), at, encoding.encodeDouble(bits));
    return this;
  }

  /**
   * Writes a TIMESTAMP or TIMESTAMP_LTZ.
   *
   * @param epochMillis milliseconds since 1970-01-01 00:00:00 (UTC for TIMESTAMP_LTZ)
   * @param nanosOfMilli 0 to 999,999; if the column's precision is at most 3 and they are not 0,
   *     the key does not {@link #fits() fit}
   */
  public KeyWriter writeTimestamp(long epochMillis, int nanosOfMilli) {
    Decimals.checkGivenNanos(nanosOfMilli);
    if (next < storages.length && storages[next] == Storage.TIMESTAMP_NANOS) {
      int at = fixed(Storage.TIMESTAMP_NANOS);
      BigEndian.putLong(out.bytes(), at, epochMillis ^ sign);
      BigEndian.putInt(out.bytes(), at + Storage.NANOS_OFFSET, nanosOfMilli);
    } else {
      check(Storage.TIMESTAMP_MILLIS);
      if (isRefused(nanosOfMilli)) {
        return this;
      }
      int at = fixed(Storage.TIMESTAMP_MILLIS);
      BigEndian.putLong(out.bytes(), at, epochMillis ^ sign);
    }
    return this;
  }

  /** Writes a TIME. If it is finer than milliseconds, the key does not {@link #fits() fit}. */
  KeyWriter writeTime(LocalTime value) {
    check(Storage.INT);
    long nanos = value.toNanoOfDay();
    return isRefused((int) (nanos % NANOS_PER_MILLI))
        ? this
        : writeInt((int) (nanos / NANOS_PER_MILLI));
  }

  /**
   * Notes what milliseconds cut off. In the last column, what is left can be a floor; any other is
   * passed over.
   *
   * @return whether the column is passed over
   */
  private boolean isRefused(int nanosOfMilli) {
    if (nanosOfMilli == 0) {
      return false;
    }
    String problem = nanosOfMilli + " ns of a millisecond do not fit " + columns.get(next).type();
    if (next + 1 < storages.length) {
      refuse(problem);
      return true;
    }
    tooFine = problem(problem);
    return false;
  }

  /** Writes a DECIMAL of at most 18 digits, by its unscaled value at the column's scale. */
  public KeyWriter writeUnscaled(long unscaled) {
    check(Storage.DECIMAL_LONG);
    Decimals.checkGiven(unscaled, columns.get(next));
    if (encoding == KeyEncoding.ORDERED) {
      return writeSortable(BigInteger.valueOf(unscaled).toByteArray());
    }
    next++;
    out.appendUnscaled(unscaled);
    return this;
  }

  /**
   * Writes a DECIMAL of any precision. Throws {@link IllegalArgumentException} if the column's type
   * would lose digits.
   */
  public KeyWriter writeDecimal(BigDecimal value) {
    if (next < storages.length && storages[next] == Storage.DECIMAL_LONG) {
      requireValue(value);
      return writeUnscaled(Decimals.unscaled(value, columns.get(next)).longValueExact());
    }
    check(Storage.DECIMAL_BYTES);
    requireValue(value);
    BigInteger unscaled = Decimals.unscaled(value, columns.get(next));
    byte[] bytes = unscaled.toByteArray();
    if (encoding == KeyEncoding.ORDERED) {
      return writeSortable(bytes);
    }
    return append(bytes, 0, bytes.length);
  }

  private KeyWriter writeSortable(byte[] complement) {
    out.appendSortable(complement, encoding.width(columns.get(next++).type()));
    return this;
  }

  /**
   * Writes a CHAR or VARCHAR. Text with an unpaired surrogate has no UTF-8, so a key with it does
   * not {@link #fits() fit}.
   */
  public KeyWriter writeString(String value) {
    check(Storage.TEXT);
    requireValue(value);
    String problem = MalformedText.problem(value);
    if (problem != null) {
      return refuse(problem);
    }
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    return append(utf8, 0, utf8.length);
  }

  /**
   * Writes a CHAR or VARCHAR from UTF-8. A key with what is malformed does not {@link #fits() fit}.
   */
  public KeyWriter writeUtf8(byte[] bytes, int offset, int length) {
    check(Storage.TEXT);
    Objects.checkFromIndexSize(offset, length, bytes.length);
    String problem = MalformedText.problem(bytes, offset, length);
    if (problem != null) {
      return refuse(problem);
    }
    return append(bytes, offset, length);
  }

  /** Writes a BINARY or VARBINARY. */
  public KeyWriter writeBytes(byte[] value) {
    check(Storage.BYTES);
    requireValue(value);
    return append(value, 0, value.length);
  }

  /** Writes a BINARY or VARBINARY. */
  public KeyWriter writeBytes(byte[] bytes, int offset, int length) {
    check(Storage.BYTES);
    return append(bytes, offset, length);
  }

  /** Returns how many columns have been written. */
  public int written() {
    return next;
  }

  /**
   * Returns whether the key is complete, its texts are well-formed, its timestamps not finer than
   * their types, and its length is 1 to 65,535. A lookup may take a key that does not fit for
   * absent: no table holds it.
   */
  public boolean fits() {
    return next == storages.length
        && refused == null
        && tooFine == null
        && out.length() >= 1
        && out.length() <= MAX_KEY_LENGTH;
  }

  /**
   * Returns the key, in an array of its own.
   *
   * @throws IllegalStateException if columns are missing
   * @throws IllegalArgumentException if the key is empty or longer than 65,535 bytes, or holds a
   *     value that it cannot
   */
  public byte[] toBytes() {
    return Arrays.copyOf(out.bytes(), checkedLength());
  }

  /**
   * Returns the key as {@link #toBytes} does, or the greatest one below if the last column is too
   * coarse for the time that was written: what a floor searches for.
   *
   * @hidden
   */
  @Internal
  public byte[] toFloor() {
    tooFine = null;
    return toCut();
  }

  /**
   * Returns the key as {@link #toBytes} does, or its first 65,535 bytes if only a text or bytes in
   * the last column make it longer: what the search for a longest prefix begins with. Keys of
   * tables are not longer, so the floor and the longest prefix of the two are the same.
   *
   * @hidden
   */
  @Internal
  public byte[] toCut() {
    boolean isCut =
        next == storages.length && out.length() > MAX_KEY_LENGTH && textStart <= MAX_KEY_LENGTH;
    if (!isCut) {
      return toBytes();
    }
    requireWellFormed();
    return Arrays.copyOf(out.bytes(), MAX_KEY_LENGTH);
  }

  /**
   * Returns the bytes that all keys begin with whose leading columns are those written so far, in
   * an array of its own. A text or bytes that other columns follow is matched as a whole.
   *
   * @throws IllegalStateException if keys are not {@link KeyEncoding#ORDERED}, so that they have no
   *     prefixes
   * @throws IllegalArgumentException if a text is malformed or the bytes are too many for a key
   */
  public byte[] toPrefix() {
    if (encoding != KeyEncoding.ORDERED) {
      throw new IllegalStateException(
          "keys in encoding '%s' have no prefixes of columns; build the table in key order"
              .formatted(encoding.label()));
    }
    requireWellFormed();
    if (out.length() > MAX_KEY_LENGTH) {
      throw wrongLength();
    }
    return Arrays.copyOf(out.bytes(), (int) out.length());
  }

  /** Returns the length of the key in bytes. Throws what {@link #toBytes()} throws. */
  public int length() {
    return checkedLength();
  }

  /**
   * Returns the writer's own buffer, which holds the key in its first {@link #length()} bytes until
   * the next call.
   */
  public byte[] buffer() {
    return out.bytes();
  }

  /** Passes a column over whose value no key holds. */
  private KeyWriter refuse(String problem) {
    refused = problem(problem);
    next++;
    return this;
  }

  private String problem(String problem) {
    return "column '%s': %s".formatted(columns.get(next).name(), problem);
  }

  private int checkedLength() {
    if (next < storages.length) {
      throw new IllegalStateException("key column " + columns.get(next) + " is not written yet");
    }
    requireWellFormed();
    if (!fits()) {
      throw wrongLength();
    }
    return (int) out.length();
  }

  private void requireWellFormed() {
    if (refused != null || tooFine != null) {
      throw new IllegalArgumentException(refused != null ? refused : tooFine);
    }
  }

  private IllegalArgumentException wrongLength() {
    return new IllegalArgumentException(
        "key is " + out.length() + " bytes long, must be 1 to " + MAX_KEY_LENGTH);
  }

  private void check(Storage wanted) {
    if (next == storages.length) {
      throw new IllegalStateException("all " + next + " key columns are written");
    }
    if (storages[next] != wanted) {
      throw RowLayout.mismatch(columns.get(next), wanted.toString());
    }
  }

  private void requireValue(@Nullable Object value) {
    if (value == null) {
      throw new IllegalArgumentException("key column '" + columns.get(next).name() + "' is null");
    }
  }

  private int fixed(Storage wanted) {
    check(wanted);
    next++;
    return out.reserve(wanted.width);
  }

  private KeyWriter append(byte[] source, int offset, int count) {
    Objects.checkFromIndexSize(offset, count, source.length);
    next++;
    boolean isLast = next == storages.length;
    if (isLast) {
      textStart = out.length();
    }
    out.append(source, offset, count, isLast);
    return this;
  }
}
