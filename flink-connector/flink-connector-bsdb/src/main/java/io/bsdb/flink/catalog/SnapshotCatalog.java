package io.bsdb.flink.catalog;

import io.bsdb.format.io.IORunnable;
import io.bsdb.format.io.IOSupplier;
import io.bsdb.table.Table;
import io.bsdb.table.VersionFacts;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.CatalogDatabase;
import org.apache.flink.table.catalog.CatalogDatabaseImpl;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.TableChange;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.catalog.exceptions.DatabaseAlreadyExistException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotEmptyException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;
import org.apache.flink.table.catalog.exceptions.ProcedureNotExistException;
import org.apache.flink.table.catalog.exceptions.TableAlreadyExistException;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.flink.table.catalog.stats.CatalogTableStatistics;
import org.apache.flink.table.factories.Factory;
import org.apache.flink.table.procedures.Procedure;
import org.jspecify.annotations.Nullable;

/**
 * The tables of a warehouse. All that it knows stands in the directories, so any number of catalogs
 * may use one warehouse. Safe for use by many threads.
 */
final class SnapshotCatalog extends TablesOnlyCatalog {
  private final Warehouse warehouse;
  private final TableDirectories tables;

  SnapshotCatalog(String name, String defaultDatabase, Warehouse warehouse) {
    super(name, defaultDatabase);
    this.warehouse = warehouse;
    this.tables = new TableDirectories(name, warehouse);
  }

  @Override
  public void open() {
    try {
      warehouse.create();
    } catch (ValidationException e) {
      throw new ValidationException("catalog %s: %s".formatted(getName(), e.getMessage()), e);
    }
  }

  @Override
  public Optional<Factory> getFactory() {
    return Optional.of(new CatalogTableFactory(tables));
  }

  /** Reads something of a table or database, and names it if that fails. */
  private <T extends @Nullable Object> T on(String what, IOSupplier<T> question) {
    try {
      return question.get();
    } catch (IOException e) {
      throw new CatalogException("%s.%s: %s".formatted(getName(), what, e), e);
    } catch (ValidationException e) {
      throw new ValidationException("%s.%s: %s".formatted(getName(), what, e.getMessage()), e);
    }
  }

  /** Does something to a table or database, and names it if that fails. */
  private void change(String what, IORunnable change) {
    on(
        what,
        () -> {
          change.run();
          return what;
        });
  }

  @Override
  public List<String> listDatabases() {
    TreeSet<String> databases = new TreeSet<>(on("", () -> warehouse.directories()));
    databases.add(getDefaultDatabase());
    return List.copyOf(databases);
  }

  @Override
  public boolean databaseExists(String name) {
    return name.equals(getDefaultDatabase())
        || (TableName.isPlain(name) && on(name, () -> warehouse.isDirectory(name)));
  }

  private void requireDatabase(String name) throws DatabaseNotExistException {
    if (!databaseExists(name)) {
      throw new DatabaseNotExistException(
          "%s with warehouse %s".formatted(getName(), warehouse), name);
    }
  }

  @Override
  public CatalogDatabase getDatabase(String name) throws DatabaseNotExistException {
    requireDatabase(name);
    return new CatalogDatabaseImpl(Map.of(), "");
  }

  @Override
  public void createDatabase(String name, CatalogDatabase database, boolean ignoreIfExists)
      throws DatabaseAlreadyExistException {
    if (databaseExists(name)) {
      if (!ignoreIfExists) {
        throw new DatabaseAlreadyExistException(getName(), name);
      }
      return;
    }
    TableDirectories.requirePlain(name);
    String comment = database.getComment();
    if (!database.getProperties().isEmpty() || (comment != null && !comment.isEmpty())) {
      throw new ValidationException(
          "database %s: a database is a directory, which keeps no comment and no properties; leave them out"
              .formatted(name));
    }
    change(name, () -> warehouse.createDirectory(name));
  }

  @Override
  public void dropDatabase(String name, boolean ignoreIfNotExists, boolean cascade)
      throws DatabaseNotExistException, DatabaseNotEmptyException {
    if (name.equals(getDefaultDatabase())) {
      throw new ValidationException(
          "database %s is the default one of the catalog and stays".formatted(name));
    }
    if (!databaseExists(name)) {
      if (!ignoreIfNotExists) {
        throw new DatabaseNotExistException(getName(), name);
      }
      return;
    }
    List<String> held = listTables(name);
    if (!held.isEmpty() && !cascade) {
      throw new DatabaseNotEmptyException(getName(), name);
    }
    change(
        name,
        () -> {
          for (String table : held) {
            tables.delete(new ObjectPath(name, table));
          }
          if (!warehouse.isEmpty(name)) {
            throw new ValidationException(
                "the directory holds files that are no tables, and stays: %s/%s"
                    .formatted(warehouse, name));
          }
          warehouse.deleteDirectory(name);
        });
  }

  @Override
  public List<String> listTables(String database) throws DatabaseNotExistException {
    requireDatabase(database);
    return on(database, () -> tables.list(database));
  }

  @Override
  public boolean tableExists(ObjectPath path) {
    TableName name = TableName.of(path);
    return on(path.getFullName(), () -> tables.exists(name.path()));
  }

  @Override
  public CatalogBaseTable getTable(ObjectPath path) throws TableNotExistException {
    TableName name = TableName.of(path);
    StoredTable table = require(path, name);
    return on(
        path.getFullName(),
        () ->
            switch (name.part()) {
              case TABLE -> tables.isDropped(path) ? StoredTable.DROPPED : table.table();
              case VERSION -> table.version(name.version());
              case TIME -> table.asOf(name.time());
              case VERSIONS -> MetadataTable.SNAPSHOTS.at(warehouse.location(name.path()).path());
              case SEGMENTS -> MetadataTable.SEGMENTS.at(warehouse.location(name.path()).path());
            });
  }

  /**
   * Refuses {@code FOR SYSTEM_TIME AS OF} a constant: of several times of one table in a query,
   * Flink plans one.
   */
  @Override
  public CatalogBaseTable getTable(ObjectPath path, long timestamp) throws TableNotExistException {
    TableName name = TableName.of(path);
    require(path, name);
    throw new ValidationException(
        "%s.%s: FOR SYSTEM_TIME AS OF a constant is not supported; %s"
            .formatted(
                getName(),
                path.getFullName(),
                name.part() == TableName.Part.TABLE
                    ? "write `%s`".formatted(name.at(Instant.ofEpochMilli(timestamp)))
                    : "leave it out, as the name selects the version"));
  }

  private StoredTable require(ObjectPath path, TableName name) throws TableNotExistException {
    if (!on(path.getFullName(), () -> tables.exists(name.path()))) {
      change(path.getFullName(), () -> tables.explainAbsence(name.path()));
      throw new TableNotExistException(getName(), path);
    }
    return new StoredTable(warehouse.table(name.path()), warehouse.location(name.path()).path());
  }

  @Override
  public void createTable(ObjectPath path, CatalogBaseTable table, boolean ignoreIfExists)
      throws TableAlreadyExistException, DatabaseNotExistException {
    requireDatabase(path.getDatabaseName());
    TableDirectories.requirePlain(path.getObjectName());
    if (tableExists(path) && !on(path.getFullName(), () -> tables.isDropped(path))) {
      if (!ignoreIfExists) {
        throw new TableAlreadyExistException(getName(), path);
      }
      return;
    }
    change(path.getFullName(), () -> tables.create(path, table));
  }

  /** Returns whether there is a table to change. */
  private boolean isThere(ObjectPath path, boolean ignoreIfNotExists)
      throws TableNotExistException {
    TableDirectories.requirePlain(path.getObjectName());
    boolean there = tableExists(path);
    if (!there && !ignoreIfNotExists) {
      throw new TableNotExistException(getName(), path);
    }
    return there;
  }

  @Override
  public void alterTable(ObjectPath path, CatalogBaseTable newTable, boolean ignoreIfNotExists)
      throws TableNotExistException {
    alterTable(path, newTable, List.of(), ignoreIfNotExists);
  }

  @Override
  public void alterTable(
      ObjectPath path,
      CatalogBaseTable newTable,
      List<TableChange> changes,
      boolean ignoreIfNotExists)
      throws TableNotExistException {
    if (isThere(path, ignoreIfNotExists)) {
      change(
          path.getFullName(),
          () -> {
            tables.requireNotDropped(path);
            tables.declare(path, newTable, changes);
          });
    }
  }

  @Override
  public void dropTable(ObjectPath path, boolean ignoreIfNotExists) throws TableNotExistException {
    if (isThere(path, ignoreIfNotExists)) {
      change(path.getFullName(), () -> tables.delete(path));
    }
  }

  /** Rows and bytes of the version in service, or of the one in the name. */
  @Override
  public CatalogTableStatistics getTableStatistics(ObjectPath path) throws TableNotExistException {
    TableName name = TableName.of(path);
    require(path, name);
    Table table = warehouse.table(name.path());
    return on(
        path.getFullName(),
        () -> {
          tables.requireNotDropped(name.path());
          String version =
              switch (name.part()) {
                case TABLE -> table.currentVersion();
                case VERSION -> Versions.resolve(table, name.version());
                case TIME -> Versions.asOf(table, name.time()).version();
                case VERSIONS, SEGMENTS -> null;
              };
          return version == null
              ? CatalogTableStatistics.UNKNOWN
              : statistics(table.manifest(version));
        });
  }

  /** Counts a changed row twice: the exact number would need all keys. */
  private static CatalogTableStatistics statistics(Manifest manifest) {
    VersionFacts facts = new VersionFacts(manifest);
    return new CatalogTableStatistics(
        facts.partitionRecords() + facts.puts(),
        manifest.partitions().size() + facts.segments(),
        facts.bytes(),
        facts.keyBytes() + facts.valueBytes() + facts.segmentBytes());
  }

  @Override
  public List<String> listProcedures(String database) throws DatabaseNotExistException {
    if (!database.equals(Procedures.DATABASE)) {
      requireDatabase(database);
      return List.of();
    }
    return Procedures.names();
  }

  @Override
  public Procedure getProcedure(ObjectPath path) throws ProcedureNotExistException {
    Procedure procedure = Procedures.get(path, tables);
    if (procedure == null) {
      throw new ProcedureNotExistException(getName(), path);
    }
    return procedure;
  }
}
