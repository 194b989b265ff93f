package io.bsdb.format.symbols;

import io.bsdb.format.CorruptSnapshotException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The parts of a value, as far as its encoding must know: a string; or, if values are rows, the
 * fields of variable width, which may be rows and arrays again. Immutable.
 *
 * <p>Rows and arrays look alike here: a header of one byte, bytes that are kept (count, null
 * bitmap, fixed slots), end offsets, and a variable area.
 */
public final class ValueShape {
  /** Number of a string that has no table. */
  static final int NO_TABLE = 0xFFFF;

  private static final int MAX_DEPTH = 64;

  /** The kinds of shapes, with their ids on disk. */
  enum Kind {
    /** Bytes that may have a table. */
    STRING(0),
    ROW(1),
    ARRAY(2);

    private final int id;

    Kind(int id) {
      this.id = id;
    }
  }

  private static final ValueShape[] NOTHING = {};

  final Kind kind;

  /** The number of a string's table, or {@link #NO_TABLE}. */
  final int table;

  /** The fields of a row, of any width. */
  final int fieldCount;

  /** Bytes of the fixed slots of a row. */
  final int fixedLength;

  /** The fields of variable width of a row; the one shape of an array's elements. */
  final ValueShape[] parts;

  private ValueShape(Kind kind, int table, int fieldCount, int fixedLength, ValueShape[] parts) {
    this.kind = kind;
    this.table = table;
    this.fieldCount = fieldCount;
    this.fixedLength = fixedLength;
    this.parts = parts;
  }

  /** Returns the shape of bytes without a table. */
  public static ValueShape string() {
    return string(NO_TABLE);
  }

  static ValueShape string(int table) {
    return new ValueShape(Kind.STRING, table, 0, 0, NOTHING);
  }

  /**
   * Returns the shape of rows.
   *
   * @param fieldCount all fields
   * @param fixedLength bytes of all fixed slots
   * @param variable the fields of variable width; at least one
   */
  public static ValueShape row(int fieldCount, int fixedLength, List<ValueShape> variable) {
    return new ValueShape(
        Kind.ROW, NO_TABLE, fieldCount, fixedLength, variable.toArray(ValueShape[]::new));
  }

  /** Returns the shape of arrays of elements of variable width. */
  public static ValueShape array(ValueShape element) {
    return new ValueShape(Kind.ARRAY, NO_TABLE, 0, 0, new ValueShape[] {element});
  }

  /** Returns the shape of the part with this number: of a field, or of any element. */
  ValueShape part(int number) {
    return kind == Kind.ARRAY ? parts[0] : parts[number];
  }

  /** Returns the number of strings in the shape; an array counts its element once. */
  int stringCount() {
    int count = kind == Kind.STRING ? 1 : 0;
    for (ValueShape part : parts) {
      count += part.stringCount();
    }
    return count;
  }

  /**
   * Returns this shape with other tables.
   *
   * @param tables by string, in the order in which they come
   */
  ValueShape withTables(int[] tables) {
    return withTables(tables, new int[1]);
  }

  private ValueShape withTables(int[] tables, int[] next) {
    if (kind == Kind.STRING) {
      return string(tables[next[0]++]);
    }
    ValueShape[] replaced = new ValueShape[parts.length];
    for (int i = 0; i < parts.length; i++) {
      replaced[i] = parts[i].withTables(tables, next);
    }
    return new ValueShape(kind, NO_TABLE, fieldCount, fixedLength, replaced);
  }

  /** Returns the tables of the strings, in the order in which they come. */
  List<Integer> tables() {
    List<Integer> tables = new ArrayList<>();
    addTables(tables);
    return tables;
  }

  private void addTables(List<Integer> tables) {
    if (kind == Kind.STRING) {
      tables.add(table);
    }
    for (ValueShape part : parts) {
      part.addTables(tables);
    }
  }

  int encodedLength() {
    int length =
        switch (kind) {
          case STRING -> 3;
          case ROW -> 9;
          case ARRAY -> 1;
        };
    for (ValueShape part : parts) {
      length += part.encodedLength();
    }
    return length;
  }

  void encode(ByteBuffer target) {
    target.put((byte) kind.id);
    if (kind == Kind.STRING) {
      target.putShort((short) table);
    } else if (kind == Kind.ROW) {
      target.putShort((short) fieldCount);
      target.putInt(fixedLength);
      target.putShort((short) parts.length);
    }
    for (ValueShape part : parts) {
      part.encode(target);
    }
  }

  /**
   * Reads a shape.
   *
   * @param tableCount how many tables there are
   * @throws CorruptSnapshotException if it is none
   * @throws java.nio.BufferUnderflowException if it is cut off
   */
  static ValueShape decode(ByteBuffer source, int tableCount) throws CorruptSnapshotException {
    return decode(source, tableCount, 0);
  }

  private static ValueShape decode(ByteBuffer source, int tableCount, int depth)
      throws CorruptSnapshotException {
    int id = source.get();
    if (id == Kind.STRING.id) {
      int table = source.getShort() & 0xFFFF;
      check(table == NO_TABLE || table < tableCount, "table of a string", table);
      return string(table);
    }
    check(depth < MAX_DEPTH, "nesting of rows and arrays", depth);
    if (id == Kind.ARRAY.id) {
      return array(decode(source, tableCount, depth + 1));
    }
    check(id == Kind.ROW.id, "kind of a value's part", id);
    int fieldCount = source.getShort() & 0xFFFF;
    int fixedLength = source.getInt();
    int variableCount = source.getShort() & 0xFFFF;
    check(fixedLength >= 0 && fixedLength <= 1 << 20, "length of fixed slots", fixedLength);
    check(
        variableCount > 0 && variableCount <= fieldCount,
        "fields of variable width",
        variableCount);
    List<ValueShape> variable = new ArrayList<>();
    for (int i = 0; i < variableCount; i++) {
      variable.add(decode(source, tableCount, depth + 1));
    }
    return row(fieldCount, fixedLength, variable);
  }

  private static void check(boolean sound, String what, int actual)
      throws CorruptSnapshotException {
    if (!sound) {
      throw new CorruptSnapshotException("%s out of range: actual=%d".formatted(what, actual));
    }
  }
}
