package io.bsdb.flink.row;

import io.bsdb.reader.SnapshotReader;
import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.RowLayout;
import io.bsdb.row.RowView;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.types.logical.LogicalType;

/** Makes Flink rows of keys and values, which it does not copy. For one thread. */
public final class RowDecoder {
  /** Lies in a row as STRING does, which would have to be UTF-8. */
  private static final RowLayout BYTES =
      RowLayout.of(List.of(new Column("value", ColumnType.bytes())));

  private final Schema schema;
  private final RowLayout layout;
  private final SnapshotMapping.Values values;
  private final RowWriter plain;
  private final int[] fields;
  private final GenericRowData metadata;

  /** Index of the metadata column that holds what a lookup asked for; −1: none. */
  private final int asked;

  private final RowData.FieldGetter lastKeyField;

  /**
   * Place of a field.
   *
   * @param keyPosition −1: not in the key
   * @param valuePosition −1: not in the value
   */
  record Field(int keyPosition, int valuePosition) {
    /** Field of a column that the snapshot does not have. */
    static final Field ABSENT = new Field(-1, -1);

    private int code() {
      if (valuePosition >= 0) {
        return valuePosition;
      }
      return keyPosition >= 0 ? -1 - keyPosition : SnapshotRow.ABSENT;
    }
  }

  /**
   * @param metadata what is put behind the fields of every row
   * @param asked where in it is what a lookup asked for; −1: nowhere
   * @param lastKeyType the type of the last key column
   */
  RowDecoder(
      SnapshotMapping mapping,
      List<Field> fields,
      GenericRowData metadata,
      int asked,
      LogicalType lastKeyType) {
    this.schema = mapping.schema();
    this.layout = RowLayout.ofValues(schema);
    this.values = mapping.values();
    this.plain = new RowWriter(BYTES);
    this.fields = fields.stream().mapToInt(Field::code).toArray();
    this.metadata = metadata;
    this.asked = asked;
    this.lastKeyField = RowData.createFieldGetter(lastKeyType, schema.keyColumns().size() - 1);
  }

  /** Returns lookups and scans that decode no more than this decoder reads. */
  public SnapshotReader selecting(SnapshotReader reader) {
    return reader.selecting(
        layout.select(Arrays.stream(fields).filter(field -> field >= 0).toArray()));
  }

  /** Returns whether any field is read from the key. */
  public boolean needsKeys() {
    return Arrays.stream(fields).anyMatch(field -> field < 0 && field != SnapshotRow.ABSENT);
  }

  /**
   * Returns a row that decodes its fields from these bytes when asked; they must not change any
   * more.
   */
  public RowData decode(byte[] key, byte[] value) {
    return withMetadata(new SnapshotRow(schema, key, view(value), fields), metadata);
  }

  /**
   * Returns the same, for a lookup that finds other keys than it asks for.
   *
   * @param askedKey that was asked for
   */
  public RowData decode(byte[] askedKey, byte[] key, byte[] value) {
    GenericRowData own = new GenericRowData(metadata.getArity());
    for (int i = 0; i < metadata.getArity(); i++) {
      own.setField(i, metadata.getField(i));
    }
    own.setField(asked, lastKeyField.getFieldOrNull(SnapshotRow.ofKey(schema, askedKey)));
    return withMetadata(new SnapshotRow(schema, key, view(value), fields), own);
  }

  /** Returns the same without the key, if it is not {@linkplain #needsKeys needed}. */
  public RowData decode(byte[] value) {
    return withMetadata(SnapshotRow.withoutKey(schema, view(value), fields), metadata);
  }

  private RowView view(byte[] value) {
    return new RowView(layout).wrap(values == SnapshotMapping.Values.PLAIN ? asRow(value) : value);
  }

  private static RowData withMetadata(SnapshotRow decoded, GenericRowData metadata) {
    return metadata.getArity() == 0 ? decoded : new JoinedRowData(decoded, metadata);
  }

  /** Encodes a key. Used by one thread at a time: the writer is reused. */
  private synchronized byte[] asRow(byte[] value) {
    plain.reset().setBytes(0, value);
    return plain.toBytes();
  }
}
