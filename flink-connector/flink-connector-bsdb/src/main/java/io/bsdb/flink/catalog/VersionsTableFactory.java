package io.bsdb.flink.catalog;

import io.bsdb.flink.BsdbOptions;
import io.bsdb.flink.storage.TableLocation;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;
import org.apache.flink.api.common.io.GenericInputFormat;
import org.apache.flink.api.common.io.NonParallelInput;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.core.io.GenericInputSplit;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.InputFormatProvider;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.data.RowData;
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
    return new Source(helper.getOptions().get(BsdbOptions.PATH), helper.getOptions().get(LISTED));
  }

  /** Reads the versions or segments of a table, as they are when the job runs. */
  private record Source(String path, MetadataTable listed) implements ScanTableSource {
    @Override
    public ChangelogMode getChangelogMode() {
      return ChangelogMode.insertOnly();
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
      return InputFormatProvider.of(new Input(path, listed));
    }

    @Override
    public DynamicTableSource copy() {
      return this;
    }

    @Override
    public String asSummaryString() {
      return IDENTIFIER;
    }
  }

  /** Lists the versions or segments of a table, in one task. */
  private static final class Input extends GenericInputFormat<RowData> implements NonParallelInput {
    private static final long serialVersionUID = 1L;

    private final String path;
    private final MetadataTable listed;
    private transient Queue<RowData> rows = new ArrayDeque<>();

    Input(String path, MetadataTable listed) {
      this.path = path;
      this.listed = listed;
    }

    @Override
    public void open(GenericInputSplit split) throws IOException {
      super.open(split);
      rows = new ArrayDeque<>(listed.rows(new TableLocation(path).table()));
    }

    @Override
    public boolean reachedEnd() {
      return rows.isEmpty();
    }

    @Override
    public RowData nextRecord(RowData reuse) {
      return rows.remove();
    }
  }
}
