package io.bsdb.flink.catalog;

import io.bsdb.flink.SnapshotTableFactory;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Catalog;
import org.apache.flink.table.factories.CatalogFactory;
import org.apache.flink.table.factories.FactoryUtil;

/** Makes catalogs of {@code 'type' = 'bsdb'}. */
public final class SnapshotCatalogFactory implements CatalogFactory {
  static final ConfigOption<String> WAREHOUSE =
      ConfigOptions.key("warehouse")
          .stringType()
          .noDefaultValue()
          .withDescription(
              "A directory of databases, which are directories of tables: a local path, or a URI of one of Flink's file systems. The same on the client, on the JobManager and on all task managers.");

  static final ConfigOption<String> DEFAULT_DATABASE =
      ConfigOptions.key("default-database")
          .stringType()
          .defaultValue("default")
          .withDescription(
              "The database in use after USE CATALOG. It need not exist as a directory.");

  @Override
  public String factoryIdentifier() {
    return SnapshotTableFactory.IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(WAREHOUSE);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of(DEFAULT_DATABASE);
  }

  @Override
  public Catalog createCatalog(Context context) {
    FactoryUtil.CatalogFactoryHelper helper = FactoryUtil.createCatalogFactoryHelper(this, context);
    helper.validate();
    String warehouse = helper.getOptions().get(WAREHOUSE);
    if (warehouse.isBlank()) {
      throw new ValidationException(
          "catalog %s: '%s' is empty; expected the directory of the databases"
              .formatted(context.getName(), WAREHOUSE.key()));
    }
    return new SnapshotCatalog(
        context.getName(), helper.getOptions().get(DEFAULT_DATABASE), Warehouse.at(warehouse));
  }
}
