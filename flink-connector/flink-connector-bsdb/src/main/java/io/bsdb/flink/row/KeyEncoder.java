package io.bsdb.flink.row;

import io.bsdb.row.Column;
import io.bsdb.row.KeyWriter;
import io.bsdb.row.Schema;
import java.util.List;
import java.util.function.Function;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;
import org.jspecify.annotations.Nullable;

/** Encodes keys whose columns lie anywhere in a Flink row. For one thread. */
public final class KeyEncoder {
  private final KeyWriter writer;
  private final KeyField[] fields;
  private final int[] sources;
  private final int keyColumns;

  /**
   * Encodes keys of rows that are written.
   *
   * @param schema whose keys are to be encoded
   * @param sources by key position, where the column lies in the rows given to {@link #encode}
   */
  public KeyEncoder(Schema schema, DeclaredTable declared, int[] sources) {
    this(schema, declared, sources, KeyField::of);
  }

  private KeyEncoder(
      Schema schema,
      DeclaredTable declared,
      int[] sources,
      Function<LogicalType, KeyField> fieldOfType) {
    List<Column> columns = schema.keyColumns();
    this.writer = KeyWriter.of(schema);
    this.fields = new KeyField[sources.length];
    this.sources = sources;
    this.keyColumns = columns.size();
    for (int i = 0; i < fields.length; i++) {
      fields[i] = fieldOfType.apply(declared.type(columns.get(i).name()));
    }
  }

  /**
   * Encodes keys that are looked for, from rows of some columns of a DDL.
   *
   * @param columns of the rows, by position among all columns of the DDL; all key columns are among
   *     them
   */
  public static KeyEncoder of(Schema schema, DeclaredTable declared, int[] columns) {
    return of(schema, declared, columns, schema.keyColumns().size());
  }

  /**
   * Encodes what keys with the same leading columns begin with, to look for them.
   *
   * @param columns as for a whole key; the leading key columns are among them
   * @param leading number of leading key columns
   */
  public static KeyEncoder of(Schema schema, DeclaredTable declared, int[] columns, int leading) {
    List<Column> keyColumns = schema.keyColumns();
    int[] sources = new int[leading];
    for (int i = 0; i < sources.length; i++) {
      sources[i] = indexOf(columns, declared.rowType().getFieldIndex(keyColumns.get(i).name()));
    }
    return new KeyEncoder(schema, declared, sources, KeyField::ofWanted);
  }

  private static int indexOf(int[] columns, int column) {
    for (int i = 0; i < columns.length; i++) {
      if (columns[i] == column) {
        return i;
      }
    }
    throw new IllegalArgumentException("column " + column + " is missing");
  }

  /**
   * Returns the key, or what keys begin with, in an array of its own; null if a column is NULL, or
   * no table holds such a key, which is empty, too long or malformed.
   */
  public byte @Nullable [] encode(RowData row) {
    writer.reset();
    for (int i = 0; i < fields.length; i++) {
      int source = sources[i];
      if (row.isNullAt(source)) {
        return null;
      }
      fields[i].write(writer, row, source);
    }
    if (fields.length == keyColumns) {
      return writer.fits() ? writer.toBytes() : null;
    }
    try {
      return writer.toPrefix();
    } catch (IllegalArgumentException malformedOrTooLong) {
      return null;
    }
  }

  /**
   * Returns why no table holds the key that was encoded last, none of whose columns is NULL.
   *
   * @throws IllegalStateException if a table can hold it
   */
  String problem() {
    try {
      writer.toBytes();
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
    throw new IllegalStateException("the key can be stored");
  }
}
