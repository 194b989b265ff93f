package io.bsdb.flink.row;

import io.bsdb.row.FieldView;
import io.bsdb.row.KeyView;
import io.bsdb.row.RowLayout;
import io.bsdb.row.RowView;
import io.bsdb.row.Schema;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A table's row: key columns are read from the key, the others from the value. The key is looked
 * into when somebody asks for one of its columns; that none is null is known without.
 */
final class SnapshotRow extends ViewRow {
  /** A field that is null, because the snapshot does not have the column. */
  static final int ABSENT = Integer.MIN_VALUE;

  private static final byte[] NO_KEY = {};

  private final Schema schema;
  private final byte[] key;
  private final RowView value;
  private final int[] fields;
  private @Nullable KeyView keyView;

  /**
   * @param fields by position in this row: a value position, −1 minus a key position, or {@link
   *     #ABSENT}
   */
  SnapshotRow(Schema schema, byte[] key, RowView value, int[] fields) {
    this.schema = schema;
    this.key = key;
    this.value = value;
    this.fields = fields;
  }

  /** Returns a row none of whose fields is in the key. */
  static SnapshotRow withoutKey(Schema schema, RowView value, int[] fields) {
    return new SnapshotRow(schema, NO_KEY, value, fields);
  }

  /** Returns the columns of a key, in its own order. */
  static SnapshotRow ofKey(Schema schema, byte[] key) {
    int[] fields = IntStream.range(0, schema.primaryKey().size()).map(i -> -1 - i).toArray();
    return new SnapshotRow(schema, key, new RowView(RowLayout.ofValues(schema)), fields);
  }

  @Override
  public int getArity() {
    return fields.length;
  }

  @Override
  public boolean isNullAt(int pos) {
    int field = fields[pos];
    return field == ABSENT || (field >= 0 && value.isNull(field));
  }

  @Override
  FieldView view(int pos) {
    return fields[pos] >= 0 ? value : key();
  }

  private KeyView key() {
    KeyView view = keyView;
    if (view == null) {
      view = KeyView.of(schema).wrap(key);
      keyView = view;
    }
    return view;
  }

  @Override
  int index(int pos) {
    int field = fields[pos];
    return field >= 0 ? field : -1 - field;
  }
}
