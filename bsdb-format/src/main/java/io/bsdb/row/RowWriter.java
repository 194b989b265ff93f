package io.bsdb.row;

import io.bsdb.format.row.LittleEndian;
import io.bsdb.format.row.RowBytes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Encodes rows: set the fields by position, then take the bytes. In a table's value, positions are
 * value positions (see {@link Schema}). Reusable after {@link #reset()}; one per thread.
 *
 * <p>Equal rows give equal bytes, in whatever order their fields were set.
 */
public final class RowWriter extends FieldWriter {
  static final int MAX_LENGTH = Integer.MAX_VALUE - 64;

  private final RowLayout layout;
  private final @Nullable FieldWriter[] nested;
  private int header;

  /** Creates a writer of rows of this layout, with all fields null. */
  public RowWriter(RowLayout layout) {
    this(layout, null);
  }

  RowWriter(RowLayout layout, @Nullable FieldWriter parent) {
    super(parent, layout.fixedLength, layout.columns.size(), layout.variableCount);
    this.layout = layout;
    this.nested = new FieldWriter[layout.columns.size()];
    clear(layout.columns.size(), layout.fixedLength, layout.variableCount);
  }

  /** Starts a new row, with all fields null. */
  public RowWriter reset() {
    clear(layout.columns.size(), layout.fixedLength, layout.variableCount);
    return this;
  }

  @Override
  public int size() {
    return layout.storages.length;
  }

  /**
   * Returns the row, in an array of its own.
   *
   * @throws IllegalArgumentException if a NOT NULL field is null, or the row longer than an array
   *     can be
   * @throws IllegalStateException if a nested writer has not ended
   */
  public byte[] toBytes() {
    byte[] row = new byte[measure()];
    encode(row, 0);
    return row;
  }

  /**
   * Writes the row into the caller's array, and throws what {@link #toBytes()} throws.
   *
   * @return its length in bytes; or, if {@code target} has no room for it from {@code offset} on,
   *     −1 minus its length, and nothing is written
   */
  public int writeTo(byte[] target, int offset) {
    int length = measure();
    Objects.checkIndex(offset, target.length + 1);
    if (target.length - offset < length) {
      return -1 - length;
    }
    encode(target, offset);
    return length;
  }

  /** Returns an ended row: see {@link RowLayout#ENDED}. */
  public static byte[] ended() {
    return new byte[] {RowLayout.ENDED};
  }

  /** Ends a nested row: hands it to the writer that it came from. */
  public void end() {
    endNested();
  }

  @Override
  Column column(int i) {
    return layout.columns.get(i);
  }

  @Override
  Storage storage(int i) {
    return layout.storages[i];
  }

  @Override
  int place(int i) {
    return layout.places[i];
  }

  @Override
  FieldWriter nested(int i) {
    FieldWriter writer = nested[i];
    if (writer == null) {
      writer =
          layout.storages[i] == Storage.ARRAY
              ? new ArrayWriter(layout.array(i), this)
              : new RowWriter(layout.row(i), this);
      nested[i] = writer;
    }
    return writer;
  }

  @Override
  int measure() {
    checkEnded();
    if (size() == 0) {
      return 0;
    }
    boolean anyNull = false;
    for (int k = 0; k < nulls.length; k++) {
      int bits = nulls[k] & (k < nulls.length - 1 ? 0xFF : RowBytes.lastBits(size()));
      if ((bits & layout.required[k]) != 0) {
        int i = (k << 3) + Integer.numberOfTrailingZeros(bits & layout.required[k]);
        throw new IllegalArgumentException("column " + column(i) + " has no value");
      }
      anyNull |= bits != 0;
    }
    // Rows without variable fields all get the same length: blocks of such rows need no slot
    // directory.
    boolean withNulls = anyNull || (layout.variableCount == 0 && layout.hasNullable);
    int variableLength = variableLength(layout.variableCount);
    int offsetWidth = LittleEndian.log2Width(variableLength);
    header = RowBytes.header(offsetWidth, withNulls);
    return checkedLength(
        RowBytes.HEADER_LENGTH
            + RowBytes.nullsLength(header, size())
            + (long) layout.fixedLength
            + RowBytes.offsetsLength(layout.variableCount, offsetWidth)
            + variableLength);
  }

  @Override
  void encode(byte[] target, int at) {
    if (size() == 0) {
      return;
    }
    target[at] = (byte) header;
    at = encodeNulls(header, target, at + RowBytes.HEADER_LENGTH, size());
    System.arraycopy(slots, 0, target, at, layout.fixedLength);
    encodeVariable(header, target, at + layout.fixedLength, layout.variableCount);
  }

  @Override
  public String toString() {
    return "RowWriter" + layout;
  }
}
