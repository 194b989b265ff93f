package io.bsdb.flink.row;

import io.bsdb.row.Column;
import io.bsdb.row.RowLayout;
import io.bsdb.row.RowWriter;
import io.bsdb.row.Schema;
import java.util.List;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;

/** Encodes the rows of a table as keys and values. For one thread. */
public final class RecordEncoder {
  private final DeclaredTable declared;
  private final Schema schema;
  private final KeyEncoder keys;
  private final RowWriter values;
  private final FieldSetter[] setters;
  private final RowData.FieldGetter[] getters;

  public RecordEncoder(DeclaredTable declared) {
    this.declared = declared;
    this.schema = declared.schema();
    this.keys =
        new KeyEncoder(
            schema, declared, schema.primaryKey().stream().mapToInt(schema::position).toArray());
    this.values = new RowWriter(RowLayout.ofValues(schema));
    List<Column> columns = schema.valueColumns();
    this.setters = new FieldSetter[columns.size()];
    this.getters = new RowData.FieldGetter[columns.size()];
    for (int i = 0; i < setters.length; i++) {
      LogicalType type = declared.type(columns.get(i).name());
      setters[i] = FieldSetter.of(type);
      getters[i] = RowData.createFieldGetter(type, schema.position(columns.get(i).name()));
    }
  }

  /**
   * Returns the row's key.
   *
   * @throws ValidationException if a key column is NULL, or no table can hold the key; it shows the
   *     row
   */
  public byte[] key(RowData row) {
    byte[] key = keys.encode(row);
    if (key == null) {
      throw refused(row, keyProblem(row));
    }
    return key;
  }

  private String keyProblem(RowData row) {
    for (String name : schema.primaryKey()) {
      if (row.isNullAt(schema.position(name))) {
        return "primary key column '%s' is NULL; filter such rows, or give them a value"
            .formatted(name);
      }
    }
    return keys.problem();
  }

  /**
   * Returns the columns outside the key.
   *
   * @throws ValidationException if a NOT NULL column is NULL, or a value does not fit its column;
   *     it shows the row
   */
  public byte[] value(RowData row) {
    values.reset();
    try {
      for (int i = 0; i < setters.length; i++) {
        Object field = getters[i].getFieldOrNull(row);
        if (field != null) {
          setters[i].set(values, i, field);
        }
      }
      return values.toBytes();
    } catch (IllegalArgumentException e) {
      throw refused(row, String.valueOf(e.getMessage()));
    }
  }

  /** Returns an exception that shows a row, and why it cannot be written. */
  public ValidationException refused(RowData row, String problem) {
    return new ValidationException(
        "a row cannot be written to table %s: %s; row=%s"
            .formatted(declared.name(), problem, RowText.of(row, declared.rowType())));
  }
}
