package io.bsdb.flink.catalog;

import io.bsdb.flink.BsdbOptions;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;

/** Makes the tables {@code t$snapshots} and {@code t$segments} of a catalog. */
public final class VersionsTableFactory implements DynamicTableSourceFactory {
  static final String IDENTIFIER = "bsdb-snapshots";

  static final ConfigOption<MetadataTable> LISTED =
      ConfigOptions.key("listed")
          .enumType(MetadataTable.class)
          .defaultValue(MetadataTable.SNAPSHOTS);

  @Override
  public String factoryIdentifier() {
    return IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(BsdbOptions.PATH);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of(LISTED);
  }

  @Override
  public DynamicTableSource createDynamicTableSource(Context context) {
    FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
    helper.validate();
    return new VersionsTableSource(
        helper.getOptions().get(BsdbOptions.PATH), helper.getOptions().get(LISTED));
  }
}
