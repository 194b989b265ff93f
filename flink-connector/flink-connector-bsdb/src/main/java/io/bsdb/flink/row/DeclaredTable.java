package io.bsdb.flink.row;

import io.bsdb.format.row.Schema;
import java.io.Serializable;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.RowType;

/**
 * What a DDL says of a table.
 *
 * @param name as in the catalog, for messages
 * @param path its directory
 * @param rowType the physical columns
 * @param primaryKey names of the key columns, in declared order; not empty
 */
public record DeclaredTable(String name, String path, RowType rowType, List<String> primaryKey)
    implements Serializable {
  /** A scheme has two letters at least: a drive on Windows has one. */
  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

  public DeclaredTable {
    primaryKey = List.copyOf(primaryKey);
  }

  /** The schema that a table built from this DDL has. */
  public Schema schema() {
    return SchemaMapping.schema(rowType, primaryKey);
  }

  /**
   * The table's directory.
   *
   * @throws ValidationException if the path does not name a local file
   */
  public Path directory() {
    try {
      if (path.startsWith("file:")) {
        return Path.of(URI.create(path)).toAbsolutePath().normalize();
      }
      if (!SCHEME.matcher(path).matches()) {
        return Path.of(path).toAbsolutePath().normalize();
      }
    } catch (IllegalArgumentException e) {
      throw new ValidationException(
          "table %s: 'path' = '%s' is no path: %s".formatted(name, path, e.getMessage()), e);
    }
    throw new ValidationException(
        "table %s: 'path' = '%s' is not a local path; snapshots are read and written through the local file system, so mount the store or copy the table"
            .formatted(name, path));
  }

  /** The type of a column. */
  public org.apache.flink.table.types.logical.LogicalType type(String column) {
    return rowType.getTypeAt(rowType.getFieldIndex(column));
  }
}
