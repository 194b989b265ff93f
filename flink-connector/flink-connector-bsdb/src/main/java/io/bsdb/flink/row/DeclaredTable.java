package io.bsdb.flink.row;

import io.bsdb.flink.storage.TableLocation;
import io.bsdb.row.KeyEncoding;
import io.bsdb.row.Schema;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.table.manifest.Validity;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;

/**
 * Table as its DDL declares it.
 *
 * @param name as in the catalog, for messages
 * @param path its directory
 * @param rowType the physical columns
 * @param primaryKey names of the key columns, in declared order; not empty
 * @param addedColumns that a version may lack, because they were added after it was built
 * @param ipColumns names of columns of IP addresses
 * @param order in which it is built, so that lookups may rely on it
 * @param validity of the rows; null unless the table keeps a history, which is in key order
 */
public record DeclaredTable(
    String name,
    String path,
    RowType rowType,
    List<String> primaryKey,
    Set<String> addedColumns,
    Set<String> ipColumns,
    RecordOrder order,
    @Nullable Validity validity)
    implements Serializable {
  public DeclaredTable {
    primaryKey = List.copyOf(primaryKey);
    addedColumns = Set.copyOf(addedColumns);
    ipColumns = Set.copyOf(ipColumns);
  }

  /** Creates a table that keeps no history. */
  public DeclaredTable(
      String name,
      String path,
      RowType rowType,
      List<String> primaryKey,
      Set<String> addedColumns,
      Set<String> ipColumns,
      RecordOrder order) {
    this(name, path, rowType, primaryKey, addedColumns, ipColumns, order, null);
  }

  /** Creates a table in hash order all of whose columns have been built. */
  public DeclaredTable(String name, String path, RowType rowType, List<String> primaryKey) {
    this(name, path, rowType, primaryKey, Set.of(), Set.of(), RecordOrder.HASH);
  }

  /** Returns the schema that a table built from this DDL has. */
  public Schema schema() {
    return SchemaMapping.schema(rowType, primaryKey, ipColumns)
        .withKeyEncoding(order == RecordOrder.KEY ? KeyEncoding.ORDERED : KeyEncoding.PLAIN);
  }

  /** Returns whether a version keeps replaced rows for as long as the DDL declares. */
  public boolean hasRetentionOf(Manifest manifest) {
    return withRetention(manifest).equals(manifest);
  }

  /** Returns a version of a history with the retention that the DDL declares. */
  public Manifest withRetention(Manifest manifest) {
    Validity built = manifest.validity();
    return validity == null || built == null
        ? manifest
        : manifest.with(new Validity(validity.retention(), built.horizon()));
  }

  /**
   * Returns whether the table lies in the local file system, rather than in another one of Flink's.
   */
  public boolean isLocal() {
    return new TableLocation(path).isLocal();
  }

  /**
   * Returns the directory of a local table.
   *
   * @throws ValidationException if the path does not name one
   */
  public Path directory() {
    try {
      return new TableLocation(path).directory();
    } catch (IllegalArgumentException e) {
      throw invalidPath(e);
    }
  }

  /**
   * Returns the table itself, wherever it lies.
   *
   * @throws ValidationException if the path cannot be one
   */
  public Table table() {
    try {
      return new TableLocation(path).table();
    } catch (IllegalArgumentException e) {
      throw invalidPath(e);
    }
  }

  private ValidationException invalidPath(IllegalArgumentException cause) {
    return new ValidationException(
        "table %s: 'path' = '%s' is no path: %s".formatted(name, path, cause.getMessage()), cause);
  }

  /** Returns the key column that finds the place within the rows of the others: the last one. */
  public String lastKeyColumn() {
    return primaryKey.get(primaryKey.size() - 1);
  }

  /** Returns the type of a column. */
  public org.apache.flink.table.types.logical.LogicalType type(String column) {
    return rowType.getTypeAt(rowType.getFieldIndex(column));
  }
}
