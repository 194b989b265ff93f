package io.bsdb.flink.catalog;

import io.bsdb.flink.BsdbOptions;
import io.bsdb.flink.SnapshotTableFactory;
import io.bsdb.flink.storage.TableLocation;
import java.io.IOException;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes the tables of a catalog for queries and builds. Refuses a version that comes with a hint,
 * which shows only here, where the name of a table contains its version.
 */
final class CatalogTableFactory implements DynamicTableSourceFactory, DynamicTableSinkFactory {
  private static final Pattern FULL_NAME = Pattern.compile("\\d{10}-[0-9a-f]{8}");

  private final TableDirectories tables;
  private final SnapshotTableFactory snapshots = new SnapshotTableFactory();
  private final VersionsTableFactory versions = new VersionsTableFactory();

  CatalogTableFactory(TableDirectories tables) {
    this.tables = tables;
  }

  @Override
  public String factoryIdentifier() {
    return snapshots.factoryIdentifier();
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return snapshots.requiredOptions();
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return snapshots.optionalOptions();
  }

  @Override
  public DynamicTableSource createDynamicTableSource(Context context) {
    TableName name = TableName.of(context.getObjectIdentifier().toObjectPath());
    return switch (name.part()) {
      case TABLE -> {
        requireNotDropped(context);
        requireNoVersion(context);
        yield snapshots.createDynamicTableSource(context, addedColumns(context));
      }
      case VERSION, TIME -> {
        requireNamedVersion(context, name);
        yield snapshots.createDynamicTableSource(context);
      }
      case VERSIONS, SEGMENTS -> versions.createDynamicTableSource(context);
    };
  }

  @Override
  public DynamicTableSink createDynamicTableSink(Context context) {
    requireNotDropped(context);
    if (!context.getCatalogTable().getOptions().containsKey(BsdbOptions.PATH.key())) {
      return tables.creation(
          context.getObjectIdentifier().toObjectPath(), context.getCatalogTable());
    }
    String name = context.getObjectIdentifier().asSummaryString();
    switch (TableName.of(context.getObjectIdentifier().toObjectPath()).part()) {
      case TABLE -> requireRows(context, name);
      case VERSION, TIME -> {} // refused for its option
      case VERSIONS, SEGMENTS ->
          throw new ValidationException("table %s can only be used as a source".formatted(name));
    }
    return snapshots.createDynamicTableSink(context);
  }

  private void requireNotDropped(Context context) {
    ObjectPath path = TableName.of(context.getObjectIdentifier().toObjectPath()).path();
    try {
      tables.requireNotDropped(path);
    } catch (IOException e) {
      throw unreadable(context.getObjectIdentifier().asSummaryString(), e);
    }
  }

  private static void requireRows(Context context, String name) {
    TableLocation location = location(context);
    try {
      new StoredTable(location.table(), location.path()).requireRows(name);
    } catch (IOException e) {
      throw unreadable(name, e);
    }
  }

  private static Set<String> addedColumns(Context context) {
    try {
      return TableDeclaration.addedColumns(location(context).table().storage());
    } catch (IOException e) {
      throw unreadable(context.getObjectIdentifier().asSummaryString(), e);
    }
  }

  private static TableLocation location(Context context) {
    return new TableLocation(
        Objects.requireNonNull(context.getCatalogTable().getOptions().get(BsdbOptions.PATH.key())));
  }

  private static ValidationException unreadable(String name, IOException cause) {
    return new ValidationException("table %s cannot be read: %s".formatted(name, cause), cause);
  }

  /** Refuses a hint that would take the place of the catalog's version. */
  private static void requireNamedVersion(Context context, TableName name) {
    String text = context.getObjectIdentifier().asSummaryString();
    String option = BsdbOptions.SNAPSHOT_VERSION.key();
    String version = Objects.requireNonNull(version(context), option);
    if (!isNamed(context, name, version)) {
      throw new ValidationException(
          "table %s is not version %s, which the hint '%s' asks for; leave the hint out, or write `%s$v%s`; without a hint, a version was put in service this moment: plan again"
              .formatted(text, version, option, name.path().getObjectName(), version));
    }
  }

  private static boolean isNamed(Context context, TableName name, String version) {
    if (name.part() == TableName.Part.VERSION) {
      return FULL_NAME.matcher(version).matches() && Versions.matches(version, name.version());
    }
    try {
      return Versions.asOf(location(context).table(), name.time()).version().equals(version);
    } catch (IOException e) {
      throw unreadable(context.getObjectIdentifier().asSummaryString(), e);
    }
  }

  private static void requireNoVersion(Context context) {
    String version = version(context);
    if (version != null) {
      throw new ValidationException(
          "table %s: the hint '%s' = '%s' is refused, because Flink takes two lookups in one table for the same if only their hints differ (FLINK-40678); write `%s$v%s`"
              .formatted(
                  context.getObjectIdentifier().asSummaryString(),
                  BsdbOptions.SNAPSHOT_VERSION.key(),
                  version,
                  context.getObjectIdentifier().getObjectName(),
                  version));
    }
  }

  private static @Nullable String version(Context context) {
    return context.getCatalogTable().getOptions().get(BsdbOptions.SNAPSHOT_VERSION.key());
  }
}
