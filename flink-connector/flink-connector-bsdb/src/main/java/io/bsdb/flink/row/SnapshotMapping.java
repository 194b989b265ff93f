package io.bsdb.flink.row;

import io.bsdb.row.Column;
import io.bsdb.row.ColumnType;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Schema;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import org.apache.flink.table.api.ValidationException;

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
   * @throws ValidationException if they contradict each other; the message explains how, and what
   *     to do
   */
  public static SnapshotMapping of(DeclaredTable declared, Manifest manifest) {
    List<String> differences = differences(declared, manifest);
    if (!differences.isEmpty()) {
      throw new ValidationException(
          "the DDL of table %s does not match the snapshot: path=%s version=%s; %s. Change the DDL, or rebuild the table with INSERT OVERWRITE"
              .formatted(
                  declared.name(),
                  declared.path(),
                  manifest.version(),
                  String.join("; ", differences)));
    }
    Schema stored = manifest.schema();
    return stored == null
        ? new SnapshotMapping(declared, plain(declared), Values.PLAIN)
        : new SnapshotMapping(declared, stored, Values.ROWS);
  }

  private static Schema plain(DeclaredTable declared) {
    return declared.schema().withKeyEncoding(KeyEncoding.PLAIN);
  }

  /** Returns how a DDL contradicts a snapshot; empty if it does not. */
  public static List<String> differences(DeclaredTable declared, Manifest manifest) {
    Schema stored = manifest.schema();
    List<String> differences = new ArrayList<>();
    if (stored == null) {
      comparePlain(plain(declared), differences);
    } else {
      compare(stored, declared, differences);
    }
    return differences;
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
            "column '%s': not in the snapshot, DDL declares %s; the snapshot has %s"
                .formatted(name, column.type(), stored.columns()));
      } else if (!reads(stored.column(name).type(), column.type())) {
        differences.add(
            "column '%s': snapshot has %s, DDL declares %s"
                .formatted(name, stored.column(name).type(), column.type()));
      }
    }
    if (!new HashSet<>(stored.primaryKey()).equals(new HashSet<>(declared.primaryKey()))) {
      differences.add(
          "primary key: snapshot has %s, DDL declares %s"
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

  /**
   * Returns whether the bytes of keys sort as their columns do; alone, text and bytes always do.
   */
  public boolean hasSortedKeys() {
    return schema.keyEncoding() == KeyEncoding.ORDERED
        || (schema.keyColumns().size() == 1 && isPlain(schema.keyColumns().get(0).type()));
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
    int asked = -1;
    for (int i = 0; i < metadata.length; i++) {
      asked = projection.metadata().get(i).isAskedFor() ? i : asked;
    }
    return new RowDecoder(
        this,
        fields,
        metadata,
        asked,
        declared.type(schema.primaryKey().get(schema.primaryKey().size() - 1)));
  }

  /** Returns the place of a column; neither in key nor value if the snapshot does not have it. */
  private RowDecoder.Field field(String column) {
    boolean isStored = schema.hasColumn(column);
    int position = isStored ? schema.position(column) : -1;
    return RowDecoder.Field.of(
        isStored ? schema.keyPosition(position) : -1,
        isStored ? schema.valuePosition(position) : -1,
        declared.type(column));
  }

  /**
   * Encodes keys as the snapshot does, without those that no snapshot holds so.
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
        .map(key -> encoder.encode(ViewRow.ofKey(declaredSchema, key)))
        .filter(Objects::nonNull)
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

  /**
   * Returns whether keys have the bytes that the DDL gives them: their columns in its order, and
   * its encoding.
   */
  public static boolean hasDeclaredKeys(DeclaredTable declared, Manifest manifest) {
    Schema stored = manifest.schema();
    return stored == null
        ? declared.order() == RecordOrder.HASH
        : stored.primaryKey().equals(declared.primaryKey())
            && stored.keyEncoding() == declared.schema().keyEncoding();
  }
}
