package io.bsdb.row;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A key read in place; positions are key positions (see {@link Schema}). {@link #wrap} finds the
 * components, so each accessor is O(1). No field is null. Reuse one view per thread.
 */
public final class KeyView implements FieldView {
  private static final byte[] NOTHING = {};
  private static final int[] ONE_START = {};

  private final List<Column> columns;
  private final Storage[] storages;
  private final int[] starts; // empty if there is one component, which is the whole key
  private byte[] bytes = NOTHING;
  private int offset;
  private int limit; // 0: not wrapped

  /** Returns a view of keys of this schema that reads nothing until it is wrapped around bytes. */
  public static KeyView of(Schema schema) {
    return schema.keyEncoding().view(schema);
  }

  KeyView(Schema schema) {
    this.columns = schema.keyColumns();
    this.storages = schema.keyStorages;
    this.starts = storages.length > 1 ? new int[storages.length] : ONE_START;
  }

  /** Wraps all of {@code key}. */
  public KeyView wrap(byte[] key) {
    return wrap(key, 0, key.length);
  }

  /**
   * Reads from now on the key in these bytes, which are not copied.
   *
   * @return this
   * @throws java.io.UncheckedIOException caused by {@link io.bsdb.format.CorruptSnapshotException}
   *     if the length does not fit the columns
   * @throws IndexOutOfBoundsException if the slice is not within the array
   */
  public KeyView wrap(byte[] bytes, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    this.bytes = NOTHING;
    this.limit = 0;
    int end = offset + length;
    int at = offset;
    boolean framed = storages.length > 1;
    for (int i = 0; i < storages.length; i++) {
      int width = storages[i].keyWidth();
      if (width == 0 && framed) {
        if (end - at < Short.BYTES) {
          throw tooShort(i, length);
        }
        width = BigEndian.getShort(bytes, at) & 0xFFFF;
        at += Short.BYTES;
      } else if (width == 0) {
        width = length;
      }
      if (end - at < width) {
        throw tooShort(i, length);
      }
      if (framed) {
        starts[i] = at;
      }
      at += width;
    }
    if (at != end || length == 0) {
      throw Damage.found(
          "key: " + length + " bytes, expected " + (at - offset) + " for " + columns);
    }
    this.bytes = bytes;
    this.offset = offset;
    this.limit = end;
    return this;
  }

  boolean sameBytes(KeyView other) {
    return Arrays.equals(bytes, offset, limit, other.bytes, other.offset, other.limit);
  }

  int hashOfBytes() {
    return ByteBuffer.wrap(bytes, offset, limit - offset).hashCode();
  }

  private RuntimeException tooShort(int i, int length) {
    return Damage.found("key: " + length + " bytes end within " + columns.get(i));
  }

  private int start(int i, Storage wanted) {
    if (storages[i] != wanted) {
      throw RowLayout.mismatch(columns.get(i), wanted.toString());
    }
    return start(i);
  }

  private int start(int i) {
    if (limit == 0) {
      throw new IllegalStateException("the view is not wrapped around a key");
    }
    return starts.length == 0 ? offset : starts[i];
  }

  private int end(int i) {
    int next = i + 1;
    if (next == storages.length) {
      return limit;
    }
    return storages[next].keyWidth() == 0 ? starts[next] - Short.BYTES : starts[next];
  }

  @Override
  public int size() {
    return storages.length;
  }

  @Override
  public ColumnType type(int i) {
    return columns.get(i).type();
  }

  /** Always false. */
  @Override
  public boolean isNull(int i) {
    Objects.checkIndex(i, storages.length);
    return false;
  }

  @Override
  public boolean booleanAt(int i) {
    byte value = bytes[start(i, Storage.BOOLEAN)];
    if ((value & ~1) != 0) {
      throw Damage.found("key: " + columns.get(i) + " is " + value + ", not a boolean");
    }
    return value != 0;
  }

  @Override
  public byte byteAt(int i) {
    return bytes[start(i, Storage.BYTE)];
  }

  @Override
  public short shortAt(int i) {
    return BigEndian.getShort(bytes, start(i, Storage.SHORT));
  }

  @Override
  public int intAt(int i) {
    return BigEndian.getInt(bytes, start(i, Storage.INT));
  }

  @Override
  public long longAt(int i) {
    return BigEndian.getLong(bytes, start(i, Storage.LONG));
  }

  @Override
  public float floatAt(int i) {
    return Float.intBitsToFloat(BigEndian.getInt(bytes, start(i, Storage.FLOAT)));
  }

  @Override
  public double doubleAt(int i) {
    return Double.longBitsToDouble(BigEndian.getLong(bytes, start(i, Storage.DOUBLE)));
  }

  @Override
  public long epochMillisAt(int i) {
    boolean nanos = storages[i] == Storage.TIMESTAMP_NANOS;
    return BigEndian.getLong(
        bytes, start(i, nanos ? Storage.TIMESTAMP_NANOS : Storage.TIMESTAMP_MILLIS));
  }

  @Override
  public int nanosOfMilliAt(int i) {
    if (storages[i] != Storage.TIMESTAMP_NANOS) {
      start(i, Storage.TIMESTAMP_MILLIS);
      return 0;
    }
    return Decimals.checkNanos(
        BigEndian.getInt(bytes, start(i, Storage.TIMESTAMP_NANOS) + Long.BYTES));
  }

  @Override
  public long unscaledAt(int i) {
    int start = start(i, Storage.DECIMAL_LONG);
    int length = end(i) - start;
    if (length < 1 || length > Long.BYTES) {
      throw Damage.found("key: " + columns.get(i) + " of " + length + " bytes");
    }
    long unscaled = bytes[start];
    for (int k = 1; k < length; k++) {
      unscaled = (unscaled << 8) | (bytes[start + k] & 0xFF);
    }
    return Decimals.checkStored(unscaled, type(i));
  }

  @Override
  public BigDecimal decimalAt(int i) {
    return storages[i] == Storage.DECIMAL_BYTES
        ? Decimals.read(bytes, sliceAt(i), type(i))
        : BigDecimal.valueOf(unscaledAt(i), type(i).scale());
  }

  @Override
  public long sliceAt(int i) {
    if (!storages[i].isVariable()) {
      throw RowLayout.mismatch(columns.get(i), "bytes");
    }
    int start = start(i);
    return ((long) start << 32) | (end(i) - start);
  }

  @Override
  public byte[] bytes() {
    return bytes;
  }

  @Override
  public byte[] bytesAt(int i) {
    long slice = sliceAt(i);
    int offset = FieldView.offset(slice);
    return Arrays.copyOfRange(bytes, offset, offset + FieldView.length(slice));
  }

  @Override
  public String stringAt(int i) {
    int start = start(i, Storage.TEXT);
    return new String(bytes, start, end(i) - start, StandardCharsets.UTF_8);
  }

  /** Throws {@link IllegalArgumentException}: a key has none. */
  @Override
  public ArrayView arrayAt(int i) {
    throw RowLayout.mismatch(columns.get(i), "an array");
  }

  /** Throws {@link IllegalArgumentException}: a key has none. */
  @Override
  public MapView mapAt(int i) {
    throw RowLayout.mismatch(columns.get(i), "a map");
  }

  /** Throws {@link IllegalArgumentException}: a key has none. */
  @Override
  public RowView rowAt(int i) {
    throw RowLayout.mismatch(columns.get(i), "a row");
  }
}
