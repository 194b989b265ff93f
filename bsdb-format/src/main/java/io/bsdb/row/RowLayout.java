package io.bsdb.row;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the fields of a row lie: everything about an encoded row that depends on the types only.
 * Computed once, shared by views and writers. Immutable and safe for use by many threads.
 */
public final class RowLayout {
  // Row header, and the part of the array header that is the same
  static final int OFFSET_WIDTH_MASK = 0b11; // log2 of the width of an offset; 3 is reserved
  static final int HAS_NULLS = 0b100;
  static final int ROW_RESERVED = ~0b111;

  // Array header
  static final int COUNT_WIDTH_SHIFT = 3; // log2 of the width of the count, two bits; 3 is reserved
  static final int ARRAY_RESERVED = ~0b11111;

  final List<Column> columns;
  final Storage[] storages;

  /**
   * By field: start of its slot in the fixed area, or its index in the offset table if it is
   * variable.
   */
  final int[] places;

  /** Bytes of all fixed slots. */
  final int fixedLength;

  final int variableCount;

  /** Bits of the fields that must not be null, in the shape of the null bitmap. */
  final byte[] required;

  final boolean hasNullable;

  private final @Nullable RowLayout[] rows; // of ROW and MAP fields
  private final @Nullable ArrayLayout[] arrays; // of ARRAY fields

  private RowLayout(List<Column> columns) {
    int count = columns.size();
    this.columns = columns;
    this.storages = new Storage[count];
    this.places = new int[count];
    this.required = new byte[bitmapLength(count)];
    this.rows = new RowLayout[count];
    this.arrays = new ArrayLayout[count];
    int fixed = 0;
    int variable = 0;
    boolean nullable = false;
    for (int i = 0; i < count; i++) {
      ColumnType type = columns.get(i).type();
      Storage storage = Storage.of(type);
      storages[i] = storage;
      places[i] = storage.isVariable() ? variable++ : fixed;
      fixed += storage.width;
      nullable |= type.isNullable();
      if (!type.isNullable()) {
        required[i >>> 3] |= (byte) (1 << (i & 7));
      }
      rows[i] = nestedRow(type);
      arrays[i] = storage == Storage.ARRAY ? new ArrayLayout(type.elementType()) : null;
    }
    this.fixedLength = fixed;
    this.variableCount = variable;
    this.hasNullable = nullable;
  }

  /**
   * Returns the layout of values: of the columns of {@code schema} that are outside the primary
   * key.
   */
  public static RowLayout ofValues(Schema schema) {
    return new RowLayout(schema.valueColumns());
  }

  /** Returns the layout of rows of these columns. */
  public static RowLayout of(List<Column> columns) {
    return new RowLayout(List.copyOf(columns));
  }

  public List<Column> columns() {
    return columns;
  }

  static int bitmapLength(int count) {
    return (count >>> 3) + ((count & 7) == 0 ? 0 : 1);
  }

  /** Returns the layout of what is stored as a row: ROW itself, MAP (two arrays). */
  static @Nullable RowLayout nestedRow(ColumnType type) {
    return switch (type.kind()) {
      case ROW -> of(type.fields());
      case MAP -> pair(type.keyType(), type.valueType());
      default -> null;
    };
  }

  private static RowLayout pair(ColumnType key, ColumnType value) {
    return new RowLayout(
        List.of(new Column("keys", storedArray(key)), new Column("values", storedArray(value))));
  }

  private static ColumnType storedArray(ColumnType element) {
    return ColumnType.array(element).notNull();
  }

  RowLayout row(int i) {
    RowLayout row = rows[i];
    if (row == null) {
      throw mismatch(columns.get(i), "a row");
    }
    return row;
  }

  ArrayLayout array(int i) {
    ArrayLayout array = arrays[i];
    if (array == null) {
      throw mismatch(columns.get(i), "an array");
    }
    return array;
  }

  IllegalArgumentException mismatch(int i, Storage wanted) {
    return mismatch(columns.get(i), wanted.toString());
  }

  static IllegalArgumentException mismatch(Column column, String wanted) {
    return new IllegalArgumentException(
        "column '" + column.name() + "' is " + column.type() + ", not stored as " + wanted);
  }

  @Override
  public String toString() {
    return columns.toString();
  }
}
