package io.bsdb.flink.row;

import io.bsdb.format.LentBytes;
import io.bsdb.format.ValueReader;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.row.KeyView;
import io.bsdb.row.RowLayout;
import io.bsdb.row.RowView;
import io.bsdb.row.Schema;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryStringData;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;

/**
 * Makes Flink rows of keys and of values that are lent: of the fields that are wanted alone, each
 * with objects of its own. Immutable and safe for many threads.
 */
public final class RowDecoder {
  private static final byte[] NO_KEY = {};

  private final Schema schema;
  private final RowLayout layout;
  private final SnapshotMapping.Values values;
  private final Field[] fields;
  private final Object[] metadata;

  /** Index of the metadata column that holds what a lookup asked for; −1: none. */
  private final int asked;

  private final Field lastKeyField;
  private final boolean needsKeys;

  /**
   * Place of a field.
   *
   * @param keyPosition −1: not in the key
   * @param valuePosition −1: not in the value
   * @param reader of fields of its type
   */
  record Field(int keyPosition, int valuePosition, FieldReader reader, LogicalType type) {
    /** Returns the place of a column; one that is neither in key nor value is null. */
    static Field of(int keyPosition, int valuePosition, LogicalType type) {
      return new Field(keyPosition, valuePosition, FieldReader.of(type), type);
    }
  }

  /**
   * @param metadata what is put after the fields of every row
   * @param asked where in it is what a lookup asked for; −1: nowhere
   * @param lastKeyType the type of the last key column
   */
  RowDecoder(
      SnapshotMapping mapping,
      List<Field> fields,
      Object[] metadata,
      int asked,
      LogicalType lastKeyType) {
    this.schema = mapping.schema();
    this.layout = RowLayout.ofValues(schema);
    this.values = mapping.values();
    this.fields = fields.toArray(Field[]::new);
    this.metadata = metadata;
    this.asked = asked;
    this.lastKeyField = Field.of(schema.keyColumns().size() - 1, -1, lastKeyType);
    this.needsKeys = fields.stream().anyMatch(field -> field.keyPosition >= 0);
  }

  /** Returns lookups and scans that decode no more than this decoder reads. */
  public SnapshotReader selecting(SnapshotReader reader) {
    return reader.selecting(
        layout.select(
            Arrays.stream(fields)
                .mapToInt(Field::valuePosition)
                .filter(position -> position >= 0)
                .toArray()));
  }

  /** Returns whether any field is read from the key. */
  public boolean needsKeys() {
    return needsKeys;
  }

  /** Returns what makes rows, one after the other. */
  public Rows rows() {
    return new Rows();
  }

  /** Makes the rows of one thread. */
  public final class Rows implements ValueReader<RowData> {
    private final RowView value = new RowView(layout);
    private final KeyView keyView = KeyView.of(schema);
    private byte[] key = NO_KEY;
    private byte[] askedKey = NO_KEY;

    private Rows() {}

    /** Sets the key of the next row, which may stay away if it is not {@link #needsKeys needed}. */
    public Rows of(byte[] next) {
      key = next;
      return this;
    }

    /** Sets the key of the next row, for a lookup that finds other keys than it asks for. */
    public Rows of(byte[] next, byte[] wanted) {
      askedKey = wanted;
      return of(next);
    }

    @Override
    public RowData read(int index, LentBytes bytes, int offset, int length) {
      GenericRowData row = new GenericRowData(fields.length + metadata.length);
      if (needsKeys) {
        keyView.wrap(key);
      }
      boolean isRow = values == SnapshotMapping.Values.ROWS;
      if (isRow) {
        value.wrap(bytes, offset, length);
      }
      for (int i = 0; i < fields.length; i++) {
        Field field = fields[i];
        if (field.keyPosition >= 0) {
          row.setField(i, field.reader.read(keyView, field.keyPosition));
        } else if (field.valuePosition >= 0) {
          if (!isRow) {
            row.setField(i, plain(field.type, bytes.copy(offset, length)));
          } else if (!value.isNull(field.valuePosition)) {
            row.setField(i, field.reader.read(value, field.valuePosition));
          }
        }
      }
      for (int i = 0; i < metadata.length; i++) {
        row.setField(fields.length + i, i == asked ? askedFor() : metadata[i]);
      }
      return row;
    }

    private Object askedFor() {
      return lastKeyField.reader.read(KeyView.of(schema).wrap(askedKey), lastKeyField.keyPosition);
    }
  }

  /** Returns the one column of a value that is no row. */
  private static Object plain(LogicalType type, byte[] value) {
    return type.is(LogicalTypeFamily.CHARACTER_STRING) ? BinaryStringData.fromBytes(value) : value;
  }
}
