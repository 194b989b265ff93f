package io.bsdb.flink.catalog;

import io.bsdb.flink.BsdbOptions;
import io.bsdb.flink.SnapshotTableFactory;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.row.SnapshotMapping;
import io.bsdb.flink.row.SnapshotMetadata;
import io.bsdb.flink.storage.TableLocation;
import io.bsdb.format.SnapshotFormat;
import io.bsdb.row.Schema;
import io.bsdb.table.Build;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ObjectIdentifier;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.ResolvedCatalogTable;
import org.apache.flink.table.catalog.TableChange;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;

/** The directories of a warehouse that are tables: finds, declares and deletes them. */
record TableDirectories(String catalog, Warehouse warehouse) {
  private static final String LOCK_FILE = "LOCK";

  /**
   * There while a table is being dropped, so that an interrupted drop can be noticed and finished.
   */
  private static final String DROPPED_FILE = "DROPPED";

  /** Refuses what cannot be the name of a directory everywhere, or means a part of a table. */
  static void requirePlain(String name) {
    if (!TableName.isPlain(name)) {
      throw new ValidationException(
          "'%s' cannot be the name of a database or table, which is that of a directory: up to 200 letters, digits, '_', '-', '.' and spaces, the first a letter, digit or '_'"
              .formatted(name));
    }
  }

  List<String> list(String database) throws IOException {
    List<String> names = new ArrayList<>();
    for (String name : warehouse.directories(database)) {
      if (exists(new ObjectPath(database, name))) {
        names.add(name);
      }
    }
    return names;
  }

  /** Returns whether something was published or declared there, even if not all is dropped yet. */
  boolean exists(ObjectPath path) throws IOException {
    if (!TableName.isPlain(path.getDatabaseName()) || !TableName.isPlain(path.getObjectName())) {
      return false;
    }
    Table table = warehouse.table(path);
    List<String> entries = table.storage().list("");
    return entries.contains(SnapshotFormat.CURRENT_FILE)
        || entries.contains(TableDeclaration.FILE)
        || entries.contains(DROPPED_FILE)
        // It has lost CURRENT, and a rollback is to find it.
        || (entries.contains(SnapshotFormat.SNAPSHOTS_DIRECTORY) && hasVersions(table));
  }

  private static boolean hasVersions(Table table) throws IOException {
    try {
      return !table.versions().isEmpty();
    } catch (NotDirectoryException e) { // a file of that name, of something else
      return false;
    }
  }

  /** Returns whether dropping the table began and did not end. */
  boolean isDropped(ObjectPath path) throws IOException {
    return table(path).storage().list("").contains(DROPPED_FILE);
  }

  /** Refuses a table that is half dropped. */
  void requireNotDropped(ObjectPath path) throws IOException {
    if (isDropped(path)) {
      throw new ValidationException(
          "DROP TABLE of %s was interrupted, and part of the table is gone: run DROP TABLE again"
              .formatted(path.getFullName()));
    }
  }

  /**
   * Returns the table that the text {@code database.table} names.
   *
   * @throws ValidationException if it names none
   */
  ObjectPath require(@Nullable String name) throws IOException {
    String[] parts = String.valueOf(name).split("\\.", 2);
    if (parts.length != 2 || parts[0].isBlank() || parts[1].isBlank()) {
      throw new ValidationException(
          "'%s' names no table; expected 'database.table'".formatted(name));
    }
    ObjectPath path = new ObjectPath(parts[0], parts[1]);
    if (!exists(path)) {
      explainAbsence(path);
      throw new ValidationException(
          "no such table: '%s' in catalog %s with warehouse %s"
              .formatted(name, catalog, warehouse));
    }
    requireNotDropped(path);
    return path;
  }

  Table table(ObjectPath path) {
    return warehouse.table(path);
  }

  TableLocation location(ObjectPath path) {
    return warehouse.location(path);
  }

  /** Throws if there is a directory, which a mere "not found" would hide. */
  void explainAbsence(ObjectPath path) throws IOException {
    if (TableName.isPlain(path.getDatabaseName())
        && TableName.isPlain(path.getObjectName())
        && !warehouse.isEmpty(path.getDatabaseName(), path.getObjectName())) {
      throw new ValidationException(
          "not a table directory, because nothing was published or declared in it: %s has neither %s nor %s; build the table, or check the path"
              .formatted(
                  location(path).path(), SnapshotFormat.CURRENT_FILE, TableDeclaration.FILE));
    }
  }

  /** Declares a table that is not there yet, or not any more. */
  void create(ObjectPath path, CatalogBaseTable table) throws IOException {
    if (isDropped(path)) {
      delete(path);
    }
    explainAbsence(path);
    declare(
        path,
        table instanceof ResolvedCatalogTable resolved
            ? resolved.copy(withoutCopiedPath(resolved.getOptions()))
            : table,
        List.of());
  }

  /**
   * Returns the options without the path of another table here, which CREATE TABLE … LIKE leaves
   * there.
   */
  private Map<String, String> withoutCopiedPath(Map<String, String> options) throws IOException {
    Map<String, String> own = new HashMap<>(options);
    String location = own.getOrDefault(BsdbOptions.PATH.key(), "");
    String[] names = location.split("/", -1);
    if (names.length >= 2) {
      String database = names[names.length - 2];
      String name = names[names.length - 1];
      if (TableName.isPlain(database) && TableName.isPlain(name)) {
        ObjectPath other = new ObjectPath(database, name);
        if (location.equals(location(other).path()) && exists(other)) {
          own.remove(BsdbOptions.PATH.key());
        }
      }
    }
    return own;
  }

  /**
   * Keeps what a DDL declares for a table.
   *
   * @param changes to what it declared before
   */
  void declare(ObjectPath path, CatalogBaseTable table, List<TableChange> changes)
      throws IOException {
    if (!(table instanceof ResolvedCatalogTable resolved)) {
      throw new ValidationException(
          "a catalog of type 'bsdb' keeps tables only; use CREATE TEMPORARY VIEW");
    }
    ResolvedCatalogTable declared = resolved.copy(ownOptions(path, resolved.getOptions()));
    sink(path, declared);
    Table stored = table(path);
    stored
        .storage()
        .exclusively(
            () -> {
              Set<String> added =
                  addedColumns(TableDeclaration.addedColumns(stored.storage()), changes, stored);
              if (!changes.isEmpty()) {
                requireReadable(path, declared, added);
              }
              TableDeclaration.write(stored.storage(), declared.toProperties(), added);
            });
  }

  /** Refuses columns that the version in service does not have: nobody could read it. */
  private void requireReadable(ObjectPath path, ResolvedCatalogTable declared, Set<String> added)
      throws IOException {
    Table stored = table(path);
    String current = stored.currentVersion();
    UniqueConstraint primaryKey = declared.getResolvedSchema().getPrimaryKey().orElse(null);
    if (current == null || primaryKey == null) {
      return;
    }
    DeclaredTable altered =
        new DeclaredTable(
            path.getFullName(),
            location(path).path(),
            (RowType) declared.getResolvedSchema().toPhysicalRowDataType().getLogicalType(),
            primaryKey.getColumns(),
            added,
            Set.of(),
            Configuration.fromMap(declared.getOptions()).get(BsdbOptions.SINK_ORDER));
    List<String> differences = SnapshotMapping.differences(altered, stored.manifest(current));
    if (!differences.isEmpty()) {
      throw new ValidationException(
          "ALTER TABLE is refused, because nobody could read version %s, which is in service: %s. Columns can be dropped, and added as nullable; for other columns build another table"
              .formatted(current, String.join("; ", differences)));
    }
  }

  /**
   * Returns the columns that a change adds; renaming one that the version in service has is none:
   * the values are there under the old name.
   */
  private static Set<String> addedColumns(
      Set<String> before, List<TableChange> changes, Table stored) throws IOException {
    Set<String> added = new HashSet<>(before);
    for (TableChange change : changes) {
      if (change instanceof TableChange.AddColumn add) {
        added.add(add.getColumn().getName());
      } else if (change instanceof TableChange.DropColumn drop) {
        added.remove(drop.getColumnName());
      } else if (change instanceof TableChange.ModifyColumnName rename
          && added.remove(rename.getOldColumnName())
          && !hasColumn(stored, rename.getOldColumnName())) {
        added.add(rename.getNewColumnName());
      }
    }
    return added;
  }

  private static boolean hasColumn(Table stored, String name) throws IOException {
    String current = stored.currentVersion();
    Schema schema = current == null ? null : stored.manifest(current).schema();
    return schema != null && schema.columns().stream().anyMatch(c -> c.name().equals(name));
  }

  /** Returns the options without those that the catalog sets. */
  private Map<String, String> ownOptions(ObjectPath path, Map<String, String> options) {
    Map<String, String> own = new HashMap<>(options);
    String connector = own.remove(FactoryUtil.CONNECTOR.key());
    if (connector != null && !connector.equals(SnapshotTableFactory.IDENTIFIER)) {
      throw new ValidationException(
          "'connector' = '%s': a catalog of type 'bsdb' keeps tables of this type only; leave 'connector' out, or use CREATE TEMPORARY TABLE"
              .formatted(connector));
    }
    String version = own.get(BsdbOptions.SNAPSHOT_VERSION.key());
    if (version != null) {
      throw new ValidationException(
          "'%s' = '%s': a table of a catalog is one for all versions; leave it out; after LIKE, EXCLUDING OPTIONS does so"
              .formatted(BsdbOptions.SNAPSHOT_VERSION.key(), version));
    }
    String location = own.remove(BsdbOptions.PATH.key());
    if (location != null && !location.equals(location(path).path())) {
      throw new ValidationException(
          "'path' = '%s': the tables of a catalog lie in its warehouse, this one at '%s'; leave 'path' out; after LIKE, EXCLUDING OPTIONS does so"
              .formatted(location, location(path).path()));
    }
    return own;
  }

  /** Keeps what CREATE TABLE … AS SELECT declares for a table that has been built. */
  void declare(ObjectPath path, Map<String, String> declaration) throws IOException {
    Table stored = table(path);
    stored
        .storage()
        .exclusively(() -> TableDeclaration.write(stored.storage(), declaration, Set.of()));
  }

  /** Returns the target of CREATE TABLE … AS SELECT. */
  CreatedTableSink creation(ObjectPath path, ResolvedCatalogTable table) {
    requirePlain(path.getDatabaseName());
    requirePlain(path.getObjectName());
    ResolvedCatalogTable declared = table.copy(ownOptions(path, table.getOptions()));
    return new CreatedTableSink(
        sink(path, declared),
        new TableCreation(catalog, warehouse.toString(), path, declared.toProperties()));
  }

  /** Refuses a column with which Flink could not read the table. */
  private static void requireMetadata(String column, String key) {
    try {
      SnapshotMetadata.of(key);
    } catch (ValidationException e) {
      throw new ValidationException("column '%s': %s".formatted(column, e.getMessage()), e);
    }
  }

  /** Builds the table. Refuses at once what would fail when it is built. */
  private DynamicTableSink sink(ObjectPath path, ResolvedCatalogTable declared) {
    if (declared.isPartitioned()) {
      throw new ValidationException(
          "PARTITIONED BY %s: a table is replaced as a whole and has no partitions by column; use DISTRIBUTED INTO n BUCKETS"
              .formatted(declared.getPartitionKeys()));
    }
    for (Column column : declared.getResolvedSchema().getColumns()) {
      if (column instanceof Column.MetadataColumn metadata) {
        requireMetadata(metadata.getName(), metadata.getMetadataKey().orElse(metadata.getName()));
      }
    }
    Map<String, String> options = new HashMap<>(declared.getOptions());
    options.put(FactoryUtil.CONNECTOR.key(), SnapshotTableFactory.IDENTIFIER);
    options.put(BsdbOptions.PATH.key(), location(path).path());
    return FactoryUtil.createDynamicTableSink(
        new SnapshotTableFactory(),
        ObjectIdentifier.of(catalog, path.getDatabaseName(), path.getObjectName()),
        declared.copy(options),
        Map.of(),
        new Configuration(),
        TableDirectories.class.getClassLoader(),
        false);
  }

  /**
   * Deletes a table that a build has made, and what one that failed has left. A table that others
   * have made in the same place stays.
   */
  void undo(ObjectPath path, Build build) throws IOException {
    Table table = table(path);
    table.abort(build);
    String current = table.currentVersion();
    boolean isMade =
        current == null
            ? !table.storage().list("").contains(TableDeclaration.FILE)
                && table.storage().list(SnapshotFormat.SNAPSHOTS_DIRECTORY).isEmpty()
            : current.equals(build.version());
    if (isMade) {
      delete(path);
    }
  }

  /**
   * Deletes a table with all its versions. Files that are not of bsdb stay, and with them the
   * directory. What an interruption leaves counts as a dropped table, and is deleted by the next
   * call.
   */
  void delete(ObjectPath path) throws IOException {
    Table table = table(path);
    table
        .storage()
        .exclusively(
            () -> {
              table.storage().replace(DROPPED_FILE, "\n".getBytes(StandardCharsets.US_ASCII));
              // First, so that no reader opens a version without its files.
              table.storage().delete(SnapshotFormat.CURRENT_FILE);
              table.storage().delete(TableDeclaration.FILE);
              table.storage().delete(SnapshotFormat.SNAPSHOTS_DIRECTORY);
              table.storage().delete(SnapshotFormat.DATA_DIRECTORY);
              table.storage().delete(SnapshotFormat.STAGING_DIRECTORY);
            });
    for (String name : table.storage().list("")) {
      if ((name.endsWith(".tmp") || name.endsWith(".next"))
          && (name.startsWith(SnapshotFormat.CURRENT_FILE + ".")
              || name.startsWith(TableDeclaration.FILE + ".")
              || name.startsWith(DROPPED_FILE + "."))) {
        table.storage().delete(name);
      }
    }
    table.storage().delete(LOCK_FILE);
    table.storage().delete(DROPPED_FILE);
    if (warehouse.isEmpty(path.getDatabaseName(), path.getObjectName())) {
      warehouse.deleteDirectory(path.getDatabaseName(), path.getObjectName());
    }
  }
}
