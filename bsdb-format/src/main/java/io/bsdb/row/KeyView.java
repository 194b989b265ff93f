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
  private static final int[] ONE = {};

  private final List<Column> columns;
  private final Storage[] storages;
  private final KeyEncoding encoding;
  private final boolean sorted;
  private final long sign;
  private final int[] widths; // 0: variable
  private final int[] starts; // empty if there is one component, which is the whole key
  private final int[] ends;
  private byte[] key = NOTHING;
  private int offset;
  private int limit; // 0: not wrapped

  /** Holds the components: the key, or a copy without escapes. */
  private byte[] bytes = NOTHING;

  private byte[] unescaped = NOTHING;

  /** Returns a view of keys of this schema that reads nothing until it is wrapped around bytes. */
  public static KeyView of(Schema schema) {
    return new KeyView(schema);
  }

  private KeyView(Schema schema) {
    this.columns = schema.keyColumns();
    this.storages = schema.keyStorages;
    this.encoding = schema.keyEncoding();
    this.sorted = encoding == KeyEncoding.ORDERED;
    this.sign = encoding.sign();
    boolean framed = storages.length > 1;
    this.starts = framed ? new int[storages.length] : ONE;
    this.ends = framed ? new int[storages.length] : ONE;
    this.widths = schema.keyWidths;
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
    this.limit = 0;
    this.bytes = bytes;
    int end = offset + length;
    int at = offset;
    for (int i = 0; i < storages.length; i++) {
      int start = at;
      if (widths[i] > 0) {
        at += widths[i];
      } else if (starts.length == 0 || (sorted && i + 1 == storages.length)) {
        at = Math.max(at, end);
      } else if (sorted) {
        at = findEnd(i, start, end, length);
        continue;
      } else if (end - start < Short.BYTES) {
        throw tooShort(i, length);
      } else {
        start += Short.BYTES;
        at = start + (BigEndian.getShort(bytes, start - Short.BYTES) & 0xFFFF);
      }
      if (at > end) {
        throw tooShort(i, length);
      }
      component(i, start, at);
    }
    if (at != end || length == 0) {
      throw Damage.found(
          "key: " + length + " bytes, expected " + (at - offset) + " for " + columns);
    }
    this.key = bytes;
    this.offset = offset;
    this.limit = end;
    return this;
  }

  private void component(int i, int start, int end) {
    if (starts.length > 0) {
      starts[i] = start;
      ends[i] = end;
    }
  }

  /**
   * Finds the end of a text or bytes that a column follows, and takes the escapes out, in a copy of
   * the key.
   *
   * @return where the next column starts
   */
  private int findEnd(int i, int start, int end, int length) {
    int to = start;
    for (int at = start; at + 1 < end; at++) {
      byte octet = bytes[at];
      if (octet == 0) {
        at++;
        if (bytes[at] == KeyEncoding.END) {
          component(i, start, to);
          return at + 1;
        }
        if (bytes[at] != KeyEncoding.ESCAPED) {
          throw Damage.found("key: " + columns.get(i) + " has a zero byte that is not escaped");
        }
        if (to + 1 == at && bytes != unescaped) {
          unescaped = Arrays.copyOf(bytes, end);
          bytes = unescaped;
        }
      }
      if (to < at) {
        bytes[to] = octet;
      }
      to++;
    }
    throw tooShort(i, length);
  }

  /**
   * Returns how many bytes of the key the columns in front of the last one take. In {@link
   * KeyEncoding#ORDERED} keys that share these bytes have the same values there.
   */
  public int leadingLength() {
    int last = storages.length - 1;
    return last == 0 ? 0 : start(last) - offset;
  }

  boolean sameBytes(KeyView other) {
    return Arrays.equals(key, offset, limit, other.key, other.offset, other.limit);
  }

  int hashOfBytes() {
    return ByteBuffer.wrap(key, offset, limit - offset).hashCode();
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
    return ends.length == 0 ? limit : ends[i];
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
    return (byte) (bytes[start(i, Storage.BYTE)] ^ (sign >>> 56));
  }

  @Override
  public short shortAt(int i) {
    return (short) (BigEndian.getShort(bytes, start(i, Storage.SHORT)) ^ (sign >>> 48));
  }

  @Override
  public int intAt(int i) {
    return BigEndian.getInt(bytes, start(i, Storage.INT)) ^ (int) (sign >>> 32);
  }

  @Override
  public long longAt(int i) {
    return BigEndian.getLong(bytes, start(i, Storage.LONG)) ^ sign;
  }

  @Override
  public float floatAt(int i) {
    int bits = BigEndian.getInt(bytes, start(i, Storage.FLOAT));
    return Float.intBitsToFloat(encoding.decodeFloat(bits));
  }

  @Override
  public double doubleAt(int i) {
    long bits = BigEndian.getLong(bytes, start(i, Storage.DOUBLE));
    return Double.longBitsToDouble(encoding.decodeDouble(bits));
  }

  @Override
  public long epochMillisAt(int i) {
    boolean nanos = storages[i] == Storage.TIMESTAMP_NANOS;
    int start = start(i, nanos ? Storage.TIMESTAMP_NANOS : Storage.TIMESTAMP_MILLIS);
    return BigEndian.getLong(bytes, start) ^ sign;
  }

  @Override
  public int nanosOfMilliAt(int i) {
    if (storages[i] != Storage.TIMESTAMP_NANOS) {
      start(i, Storage.TIMESTAMP_MILLIS);
      return 0;
    }
    return Decimals.checkNanos(
        BigEndian.getInt(bytes, start(i, Storage.TIMESTAMP_NANOS) + Storage.NANOS_OFFSET));
  }

  @Override
  public long unscaledAt(int i) {
    int start = start(i, Storage.DECIMAL_LONG);
    int length = end(i) - start;
    if (length < 1 || length > Long.BYTES) {
      throw Damage.found("key: " + columns.get(i) + " of " + length + " bytes");
    }
    long unscaled = (byte) (bytes[start] ^ (sign >>> 56));
    for (int k = 1; k < length; k++) {
      unscaled = (unscaled << 8) | (bytes[start + k] & 0xFF);
    }
    return Decimals.checkStored(unscaled, type(i));
  }

  @Override
  public BigDecimal decimalAt(int i) {
    if (storages[i] != Storage.DECIMAL_BYTES) {
      return BigDecimal.valueOf(unscaledAt(i), type(i).scale());
    }
    if (sorted) {
      byte[] complement = bytesAt(i);
      complement[0] ^= (byte) 0x80;
      return Decimals.read(complement, complement.length, type(i));
    }
    return Decimals.read(bytes, sliceAt(i), type(i));
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
