package io.bsdb.row;

import io.bsdb.format.Internal;
import io.bsdb.format.row.RowBytes;
import io.bsdb.format.symbols.FieldSelection;
import io.bsdb.format.symbols.ValueShape;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Places of a row's fields: everything about an encoded row that depends on the types only.
 * Computed once, shared by views and writers. Immutable and safe for use by many threads.
 */
public final class RowLayout {
  /**
   * The header of an ended row, which consists of that byte alone: no row of its key is valid from
   * its time on. Only tables with a history have such rows.
   */
  public static final byte ENDED = RowBytes.ENDED;

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
    this.required = new byte[RowBytes.bitmapLength(count)];
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
        RowBytes.set(required, i);
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

  /** Returns whether a value is an ended row. */
  public static boolean isEnded(byte[] value) {
    return isEnded(value, 0, value.length);
  }

  /** Returns whether a value is an ended row. */
  public static boolean isEnded(byte[] value, int offset, int length) {
    return length == 1 && value[offset] == ENDED;
  }

  /**
   * Checks a value of a table whose rows do not end.
   *
   * @throws IllegalArgumentException if it is an ended row
   * @hidden
   */
  @Internal
  public static void requireLive(byte[] value, int offset, int length) {
    if (isEnded(value, offset, length)) {
      throw new IllegalArgumentException(
          "an ended row needs a table with a history: delete the key, or build the table with a history");
    }
  }

  public List<Column> columns() {
    return columns;
  }

  /**
   * Returns what the values of these columns consist of, as far as their compression must know.
   *
   * @hidden
   */
  @Internal
  @SuppressWarnings("exports") // an internal type, to this project only
  public ValueShape shape() {
    if (variableCount == 0) {
      return ValueShape.string(); // nothing in it has a table
    }
    List<ValueShape> variable = new ArrayList<>();
    for (int i = 0; i < storages.length; i++) {
      if (storages[i].isVariable()) {
        variable.add(shape(columns.get(i).type()));
      }
    }
    return ValueShape.row(storages.length, fixedLength, variable);
  }

  /**
   * Returns the names of the strings of {@link #shape}, in the order in which they come there.
   *
   * @hidden
   */
  @Internal
  public List<String> stringNames() {
    List<String> names = new ArrayList<>();
    addStringNames("", names);
    return names;
  }

  private void addStringNames(String prefix, List<String> names) {
    if (variableCount == 0) {
      names.add(prefix.isEmpty() ? "value" : prefix.substring(0, prefix.length() - 1));
    }
    for (int i = 0; i < storages.length; i++) {
      if (storages[i].isVariable()) {
        addStringNames(prefix + columns.get(i).name(), columns.get(i).type(), names);
      }
    }
  }

  private static void addStringNames(String name, ColumnType type, List<String> names) {
    RowLayout nested = nestedRow(type);
    if (nested != null) {
      nested.addStringNames(name + ".", names);
    } else if (isArrayOfVariable(type)) {
      addStringNames(name + "[]", type.elementType(), names);
    } else {
      names.add(name);
    }
  }

  private static boolean isArrayOfVariable(ColumnType type) {
    return Storage.of(type) == Storage.ARRAY && Storage.of(type.elementType()).isVariable();
  }

  /**
   * Selects columns.
   *
   * @param positions of those that will be read
   * @hidden
   */
  @Internal
  @SuppressWarnings("exports") // an internal type, to this project only
  public FieldSelection select(int... positions) {
    boolean[] selected = new boolean[variableCount];
    int prefix = RowBytes.HEADER_LENGTH + RowBytes.bitmapLength(storages.length);
    int slots = prefix;
    for (int position : positions) {
      if (storages[position].isVariable()) {
        selected[places[position]] = true;
        prefix = Integer.MAX_VALUE; // where it lies varies
      } else {
        prefix = Math.max(prefix, slots + places[position] + storages[position].width);
      }
    }
    return FieldSelection.of(selected, prefix);
  }

  private static ValueShape shape(ColumnType type) {
    RowLayout nested = nestedRow(type);
    if (nested != null) {
      return nested.shape();
    }
    return isArrayOfVariable(type)
        ? ValueShape.array(shape(type.elementType()))
        : ValueShape.string();
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
