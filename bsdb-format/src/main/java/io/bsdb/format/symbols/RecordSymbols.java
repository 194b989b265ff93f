package io.bsdb.format.symbols;

import io.bsdb.format.CorruptSnapshotException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of a partition's records: the symbol tables, the one of keys, and the shape of
 * values with the tables of its strings. The content of the symbols section. Immutable.
 */
public final class RecordSymbols {
  private static final int KEY_TABLE = 4;
  private static final int TABLE_COUNT = 6;
  private static final int HEADER_LENGTH = 8;

  private final List<SymbolTable> tables;
  private final int keyTable;
  private final ValueShape shape;

  /**
   * @param keyTable number of the table of keys, or {@link ValueShape#NO_TABLE}
   * @param shape whose strings name tables of the list
   */
  RecordSymbols(List<SymbolTable> tables, int keyTable, ValueShape shape) {
    this.tables = List.copyOf(tables);
    this.keyTable = keyTable;
    this.shape = shape;
  }

  /** Returns whether keys are encoded. */
  public boolean encodesKeys() {
    return keyTable != ValueShape.NO_TABLE;
  }

  /** Returns the table of keys; null if they are stored as they are. */
  public @Nullable SymbolTable keys() {
    return table(keyTable);
  }

  /** Returns the shape of keys: a string. */
  ValueShape keyShape() {
    return ValueShape.string(keyTable);
  }

  ValueShape shape() {
    return shape;
  }

  @Nullable SymbolTable table(int number) {
    return number == ValueShape.NO_TABLE ? null : tables.get(number);
  }

  List<SymbolTable> tables() {
    return tables;
  }

  /**
   * Returns the tables of the strings of a value, in the order in which they come; null for those
   * that are stored as they are.
   */
  public List<@Nullable SymbolTable> values() {
    List<@Nullable SymbolTable> values = new ArrayList<>();
    shape.tables().forEach(number -> values.add(table(number)));
    return values;
  }

  /** Returns the section's bytes. */
  public ByteBuffer encode() {
    int length = HEADER_LENGTH + shape.encodedLength();
    for (SymbolTable table : tables) {
      length += table.encodedLength();
    }
    ByteBuffer section = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    section.putShort(KEY_TABLE, (short) keyTable);
    section.putShort(TABLE_COUNT, (short) tables.size());
    section.position(HEADER_LENGTH);
    shape.encode(section);
    for (SymbolTable table : tables) {
      table.encode(section);
    }
    return section.flip();
  }

  /**
   * Decodes the section.
   *
   * @param section its bytes from index 0 to its limit
   * @param offset of the section in the file, for messages
   */
  public static RecordSymbols decode(ByteBuffer section, String file, long offset)
      throws CorruptSnapshotException {
    ByteBuffer source = section.duplicate().order(ByteOrder.LITTLE_ENDIAN).rewind();
    try {
      if (source.limit() < HEADER_LENGTH) {
        throw new BufferUnderflowException();
      }
      int keyTable = source.getShort(KEY_TABLE) & 0xFFFF;
      int tableCount = source.getShort(TABLE_COUNT) & 0xFFFF;
      if (source.getInt(0) != 0
          || (keyTable != ValueShape.NO_TABLE && keyTable >= tableCount)
          || tableCount == ValueShape.NO_TABLE) {
        throw new CorruptSnapshotException(
            "reserved=%08x table of keys=%d tables=%d"
                .formatted(source.getInt(0), keyTable, tableCount));
      }
      source.position(HEADER_LENGTH);
      ValueShape shape = ValueShape.decode(source, tableCount);
      SymbolTable[] tables = new SymbolTable[tableCount];
      for (int i = 0; i < tableCount; i++) {
        tables[i] = SymbolTable.decode(source);
      }
      if (source.hasRemaining()) {
        throw new CorruptSnapshotException(
            "bytes after the last table: expected=0 actual=%d".formatted(source.remaining()));
      }
      return new RecordSymbols(List.of(tables), keyTable, shape);
    } catch (BufferUnderflowException e) {
      throw new CorruptSnapshotException(
          "symbols section is cut off: file=%s offset=%d length=%d"
              .formatted(file, offset, section.limit()),
          e);
    } catch (CorruptSnapshotException e) {
      throw new CorruptSnapshotException(
          "symbols section is damaged: file=%s offset=%d: %s"
              .formatted(file, offset, e.getMessage()),
          e);
    }
  }
}
