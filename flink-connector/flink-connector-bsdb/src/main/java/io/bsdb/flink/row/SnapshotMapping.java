package io.bsdb.flink.row;

import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.Schema;
import io.bsdb.table.Manifest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.GenericRowData;

/**
 * Finds the columns of a DDL in one snapshot, by name: the snapshot may have more columns than the
 * DDL, in another order, and its key columns may be in another order. Immutable.
 */
public final class SnapshotMapping {
  private final DeclaredTable declared;
  private final Schema schema;
  private final Values values;

  /** Kind of a snapshot's values. */
  enum Values {
    ROWS,
    /** Bytes that are the one column outside the key. */
    PLAIN
  }

  private SnapshotMapping(DeclaredTable declared, Schema schema, Values values) {
    this.declared = declared;
    this.schema = schema;
    this.values = values;
  }

  /**
   * Compares a DDL with a snapshot.
   *
   * @throws ValidationException if they contradict each other; it says how, and what to do
   */
  public static SnapshotMapping of(DeclaredTable declared, Manifest manifest) {
    Schema stored = manifest.schema();
    List<String> differences = new ArrayList<>();
    SnapshotMapping mapping;
    if (stored == null) {
      mapping = new SnapshotMapping(declared, declared.schema(), Values.PLAIN);
      comparePlain(mapping.schema, differences);
    } else {
      mapping = new SnapshotMapping(declared, stored, Values.ROWS);
      compare(stored, declared, differences);
    }
    if (!differences.isEmpty()) {
      throw new ValidationException(
          "the DDL of table %s does not match the snapshot: path=%s version=%s; %s. Change the DDL, or rebuild the table with INSERT OVERWRITE"
              .formatted(
                  declared.name(),
                  declared.path(),
                  manifest.version(),
                  String.join("; ", differences)));
    }
    return mapping;
  }

  private static void compare(Schema stored, DeclaredTable table, List<String> differences) {
    Schema declared = table.schema();
    for (Column column : declared.columns()) {
      String name = column.name();
      if (!stored.hasColumn(name)) {
        if (column.type().isNullable() && table.addedColumns().contains(name)) {
          continue;
        }
        differences.add(
            "column '%s': not in the snapshot, DDL says %s; the snapshot has %s"
                .formatted(name, column.type(), stored.columns()));
      } else if (!reads(stored.column(name).type(), column.type())) {
        differences.add(
            "column '%s': snapshot has %s, DDL says %s"
                .formatted(name, stored.column(name).type(), column.type()));
      }
    }
    if (!new HashSet<>(stored.primaryKey()).equals(new HashSet<>(declared.primaryKey()))) {
      differences.add(
          "primary key: snapshot has %s, DDL says %s"
              .formatted(stored.primaryKey(), declared.primaryKey()));
    }
  }

  /**
   * Returns whether a column may be declared as such: as it is stored, or as nullable where it is
   * stored NOT NULL.
   */
  private static boolean reads(ColumnType stored, ColumnType declared) {
    return stored.equals(declared) || stored.nullable().equals(declared);
  }

  private static void comparePlain(Schema declared, List<String> differences) {
    List<Column> columns = declared.valueColumns();
    if (columns.size() != 1 || !isPlain(columns.get(0).type())) {
      differences.add(
          "the snapshot was built from plain bytes, without a schema: DDL must declare one column of type BYTES or STRING beside the primary key, and says "
              + columns);
    }
  }

  private static boolean isPlain(ColumnType type) {
    return type.nullable().equals(ColumnType.bytes())
        || type.nullable().equals(ColumnType.string());
  }

  /** Returns the snapshot's schema. */
  public Schema schema() {
    return schema;
  }

  Values values() {
    return values;
  }

  /** Decodes what is wanted of rows. */
  public RowDecoder decoder(Projection projection, Manifest manifest) {
    List<RowDecoder.Field> fields = new ArrayList<>();
    for (int column : projection.columns()) {
      fields.add(field(declared.rowType().getFieldNames().get(column)));
    }
    Object[] metadata =
        projection.metadata().stream().map(wanted -> wanted.value(manifest)).toArray();
    return new RowDecoder(this, fields, GenericRowData.of(metadata));
  }

  private RowDecoder.Field field(String column) {
    if (!schema.hasColumn(column)) {
      return RowDecoder.Field.ABSENT;
    }
    int position = schema.position(column);
    return new RowDecoder.Field(schema.keyPosition(position), schema.valuePosition(position));
  }

  /**
   * Encodes keys as the snapshot does.
   *
   * @param keys with their columns in the order of the DDL
   */
  public List<byte[]> storedKeys(List<byte[]> keys) {
    Schema declaredSchema = declared.schema();
    if (schema.primaryKey().equals(declared.primaryKey())
        && schema.keyEncoding() == declaredSchema.keyEncoding()) {
      return keys;
    }
    int[] columns =
        declared.primaryKey().stream().mapToInt(declared.rowType()::getFieldIndex).toArray();
    KeyEncoder encoder = keyEncoder(columns);
    return keys.stream()
        .map(key -> encoder.encode(SnapshotRow.ofKey(declaredSchema, key)))
        .map(Objects::requireNonNull)
        .toList();
  }

  /**
   * Encodes keys from rows of some columns of the DDL.
   *
   * @param columns of the rows, by position among all columns of the DDL; all key columns are among
   *     them
   */
  public KeyEncoder keyEncoder(int[] columns) {
    return KeyEncoder.of(schema, declared, columns);
  }

  /** Returns whether keys are encoded with their columns in the order of the DDL. */
  public static boolean hasDeclaredKeyOrder(DeclaredTable declared, Manifest manifest) {
    Schema stored = manifest.schema();
    return stored == null || stored.primaryKey().equals(declared.primaryKey());
  }
}
