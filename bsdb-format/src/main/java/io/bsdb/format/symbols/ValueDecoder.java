package io.bsdb.format.symbols;

import io.bsdb.format.CorruptSnapshotException;
import org.jspecify.annotations.Nullable;

/**
 * Decodes keys and values of records into an array that grows as needed. Used by one thread at a
 * time.
 */
public final class ValueDecoder extends ValueTransform {
  /** The first byte of a row that is stored as it is. */
  static final int VERBATIM = 0x80;

  /** Symbols are written as words of 8 bytes. */
  private static final int SLACK = SymbolTable.MAX_LENGTH;

  private final RecordSymbols symbols;
  private final ValueShape shape;
  private final @Nullable SymbolTable[] tables;
  private byte[] plain = new byte[256];

  public ValueDecoder(RecordSymbols symbols) {
    this.symbols = symbols;
    this.shape = symbols.shape();
    this.tables = symbols.tables().toArray(SymbolTable[]::new);
  }

  /** Returns the array that {@link #key} and {@link #value} decode into, from index 0 on. */
  public byte[] plain() {
    return plain;
  }

  /** Returns whether keys are encoded. */
  public boolean encodesKeys() {
    return symbols.encodesKeys();
  }

  /**
   * Returns how many bytes an encoded value has in front of the plain one, if that follows as it
   * is; −1 if it does not.
   *
   * @param first the first bytes of the encoded value, little-endian, zeros after its end
   */
  public int verbatim(int first, int length) {
    if (shape.kind != ValueShape.Kind.STRING) {
      return (first & 0xFF) == VERBATIM ? 1 : -1;
    }
    if (shape.table == ValueShape.NO_TABLE) {
      return 0;
    }
    return length >= 2 && (first & 0xFFFF) == SymbolTable.RAW ? 2 : -1;
  }

  /**
   * Decodes a key.
   *
   * @param limit longest key that the partition may have
   * @return its length
   */
  public int key(byte[] source, int start, int end, int limit) throws CorruptSnapshotException {
    reserve(limit, end - start);
    return checked(keys().decode(source, start, end, plain, 0), limit);
  }

  /**
   * Decodes a value.
   *
   * @param limit longest value that the partition may have
   * @param wanted fields of a row that are decoded; others come out empty
   * @return its length
   */
  public int value(byte[] source, int start, int end, int limit, FieldSelection wanted)
      throws CorruptSnapshotException {
    reserve(limit, end - start);
    if (shape.kind == ValueShape.Kind.STRING) {
      return checked(string(shape, source, start, end, plain, 0), limit);
    }
    reset();
    int length = slots(shape, source, start, end, plain, 0, wanted);
    if (length == UNFIT) {
      throw new CorruptSnapshotException(
          "row is not of the shape that its file states: length=%d".formatted(end - start));
    }
    return checked(length, limit);
  }

  private static int checked(int length, int limit) throws CorruptSnapshotException {
    if (length > limit) {
      throw new CorruptSnapshotException(
          "longer than any record of the partition: expected<=%d actual=%d"
              .formatted(limit, length));
    }
    return length;
  }

  /** Makes room for what so many encoded bytes can become. */
  private void reserve(int limit, int encoded) {
    long needed = Math.min(limit, (long) SymbolTable.MAX_LENGTH * encoded) + SLACK;
    if (plain.length < needed) {
      plain = new byte[(int) Math.max(needed, Math.min(2L * plain.length, 1 << 20))];
    }
  }

  @Override
  int string(ValueShape part, byte[] source, int start, int end, byte[] target, int at)
      throws CorruptSnapshotException {
    SymbolTable table = part.table == ValueShape.NO_TABLE ? null : tables[part.table];
    if (table == null) {
      System.arraycopy(source, start, target, at, end - start);
      return at + end - start;
    }
    return table.decode(source, start, end, target, at);
  }

  /** Returns whether an encoded key is this one. */
  public boolean matches(byte[] source, int start, int end, byte[] key)
      throws CorruptSnapshotException {
    return keys().matches(source, start, end, key);
  }

  private SymbolTable keys() {
    SymbolTable table = symbols.keys();
    if (table == null) {
      throw new IllegalStateException("keys are not encoded");
    }
    return table;
  }
}
