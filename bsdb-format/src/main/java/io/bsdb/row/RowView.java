package io.bsdb.row;

import io.bsdb.format.LentBytes;
import io.bsdb.format.row.RowBytes;
import java.util.Objects;

/**
 * A row read in place. In a table's value, positions are value positions (see {@link Schema}).
 *
 * <p>{@link #wrap} costs a few checks, each accessor one load or three. Reuse one view per thread.
 */
public final class RowView extends SlotView {
  private final RowLayout layout;
  private final Storage[] storages;
  private final int[] places;

  /** Creates a view that reads nothing until it is wrapped around bytes. */
  public RowView(RowLayout layout) {
    this.layout = layout;
    this.storages = layout.storages;
    this.places = layout.places;
  }

  /** Wraps all of {@code row}. */
  public RowView wrap(byte[] row) {
    return wrap(row, 0, row.length);
  }

  /**
   * Reads from now on the row in these bytes, which are not copied.
   *
   * @return this
   * @throws java.io.UncheckedIOException caused by {@link io.bsdb.format.CorruptSnapshotException}
   *     if the slice is too short or its header unknown
   * @throws IndexOutOfBoundsException if the slice is not within the array
   */
  public RowView wrap(byte[] bytes, int offset, int length) {
    begin(bytes, offset, length);
    locate();
    return this;
  }

  /**
   * Reads from now on the row in memory that is lent, for as long as it is. Only the fields that
   * are asked for are touched; objects are copies, and may be kept.
   *
   * @return this
   * @throws java.io.UncheckedIOException as {@link #wrap(byte[], int, int)}
   * @throws IndexOutOfBoundsException if the slice is not within the memory
   */
  public RowView wrap(LentBytes bytes, int offset, int length) {
    begin(bytes, offset, length);
    locate();
    return this;
  }

  @Override
  void locate() {
    int offset = start();
    int length = limit - offset;
    if (storages.length == 0) {
      if (length != 0) {
        throw Damage.found("row: no fields, yet " + length + " bytes");
      }
      return;
    }
    if (length == 0) {
      throw Damage.found("row: empty, expected " + storages.length + " fields");
    }
    int header = byteOf(offset);
    locate(
        header,
        RowBytes.isRow(header),
        offset + RowBytes.HEADER_LENGTH,
        storages.length,
        layout.fixedLength,
        layout.variableCount);
  }

  public RowLayout layout() {
    return layout;
  }

  @Override
  public int size() {
    return storages.length;
  }

  @Override
  public ColumnType type(int i) {
    return layout.columns.get(i).type();
  }

  @Override
  int slot(int i, Storage wanted) {
    if (storages[i] != wanted) {
      throw layout.mismatch(i, wanted);
    }
    return slots + places[i];
  }

  @Override
  int variableIndex(int i) {
    if (!storages[i].isVariable()) {
      throw RowLayout.mismatch(layout.columns.get(i), "bytes");
    }
    return places[i];
  }

  @Override
  Storage storage(int i) {
    return storages[i];
  }

  @Override
  RowLayout rowLayout(int i) {
    return layout.row(i);
  }

  @Override
  ArrayLayout arrayLayout(int i) {
    return layout.array(i);
  }

  @Override
  String describe() {
    return "row";
  }

  @Override
  void checkPosition(int i) {
    Objects.checkIndex(i, storages.length);
  }
}
