package io.bsdb.flink.catalog;

import io.bsdb.flink.SnapshotTableFactory;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.catalog.Catalog;
import org.apache.flink.table.factories.CatalogFactory;
import org.apache.flink.table.factories.FactoryUtil;

/** Makes catalogs of {@code 'type' = 'bsdb'}. */
public final class SnapshotCatalogFactory implements CatalogFactory {
  @Override
  public String factoryIdentifier() {
    return SnapshotTableFactory.IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(CatalogOptions.WAREHOUSE);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of(CatalogOptions.DEFAULT_DATABASE);
  }

  @Override
  public Catalog createCatalog(Context context) {
    FactoryUtil.CatalogFactoryHelper helper = FactoryUtil.createCatalogFactoryHelper(this, context);
    helper.validate();
    return new SnapshotCatalog(
        context.getName(),
        helper.getOptions().get(CatalogOptions.DEFAULT_DATABASE),
        Warehouse.at(helper.getOptions().get(CatalogOptions.WAREHOUSE)));
  }
}
