package io.bsdb.format.symbols;

import io.bsdb.format.CorruptSnapshotException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Encodes records, one at a time. Used by one thread. */
public final class RecordEncoder extends ValueTransform {
  /** A longer value is stored as it is: what is encoded is to fit near caches. */
  static final int MAX_ENCODED = 1 << 20;

  private final ValueShape shape;
  private final ValueShape keys;
  private final @Nullable SymbolMatcher[] matchers;
  private byte[] plain = new byte[256];
  private byte[] encoded = new byte[1024];
  private int keyLength;
  private int valueLength;

  public RecordEncoder(RecordSymbols symbols) {
    this.shape = symbols.shape();
    this.keys = symbols.keyShape();
    this.matchers = new @Nullable SymbolMatcher[symbols.tables().size()];
    for (int i = 0; i < matchers.length; i++) {
      matchers[i] = new SymbolMatcher(symbols.tables().get(i));
    }
  }

  /** Returns the encoded key, and after it the encoded value. */
  public byte[] encoded() {
    return encoded;
  }

  public int keyLength() {
    return keyLength;
  }

  public int valueLength() {
    return valueLength;
  }

  /**
   * Encodes a record.
   *
   * @param keyOffset where the key starts in {@code source}; its value follows
   * @param storedKeyLength bytes of the key that are to be stored: 0 for none
   */
  public void encode(
      ByteBuffer source, int keyOffset, int storedKeyLength, int valueOffset, int plainLength) {
    load(source, keyOffset, storedKeyLength);
    reserve(storedKeyLength, 0);
    keyLength = string(keys, plain, 0, storedKeyLength, encoded, 0);
    if (plainLength > MAX_ENCODED) {
      verbatim(source, valueOffset, plainLength);
      return;
    }
    load(source, valueOffset, plainLength);
    reserve(plainLength, keyLength);
    int end = UNFIT;
    if (shape.kind == ValueShape.Kind.STRING) {
      end = string(shape, plain, 0, plainLength, encoded, keyLength);
    } else {
      try {
        end = slots(shape, plain, 0, plainLength, encoded, keyLength, FieldSelection.ALL);
      } catch (CorruptSnapshotException e) {
        throw new IllegalStateException("encoding does not decode", e);
      }
    }
    if (end == UNFIT || (shape.kind != ValueShape.Kind.STRING && end - keyLength > plainLength)) {
      verbatim(source, valueOffset, plainLength);
    } else {
      valueLength = end - keyLength;
    }
  }

  private void verbatim(ByteBuffer source, int offset, int length) {
    byte[] prefix = {};
    if (shape.kind != ValueShape.Kind.STRING) {
      prefix = new byte[] {(byte) ValueDecoder.VERBATIM};
    } else if (shape.table != ValueShape.NO_TABLE) {
      prefix = new byte[] {(byte) SymbolTable.RAW, 0};
    }
    valueLength = prefix.length + length;
    if (encoded.length < keyLength + valueLength) {
      encoded = Arrays.copyOf(encoded, keyLength + valueLength);
    }
    System.arraycopy(prefix, 0, encoded, keyLength, prefix.length);
    source.get(offset, encoded, keyLength + prefix.length, length);
  }

  private void load(ByteBuffer source, int offset, int length) {
    if (plain.length < length) {
      plain = new byte[Math.max(length, 2 * plain.length)];
    }
    source.get(offset, plain, 0, length);
  }

  /** Makes room for what so many plain bytes can become, before what is too long is given up. */
  private void reserve(int plainLength, int at) {
    int needed = at + 4 * plainLength + 16;
    if (encoded.length < needed) {
      encoded = Arrays.copyOf(encoded, Math.max(needed, 2 * encoded.length));
    }
  }

  @Override
  int string(ValueShape shape, byte[] source, int start, int end, byte[] target, int at) {
    if (shape.table == ValueShape.NO_TABLE) {
      System.arraycopy(source, start, target, at, end - start);
      return at + end - start;
    }
    SymbolMatcher matcher = matchers[shape.table];
    if (matcher == null) {
      throw new IllegalStateException("no table " + shape.table);
    }
    return matcher.encode(source, start, end, target, at);
  }
}
