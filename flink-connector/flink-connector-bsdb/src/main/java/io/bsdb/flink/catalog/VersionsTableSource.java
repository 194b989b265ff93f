package io.bsdb.flink.catalog;

import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.InputFormatProvider;
import org.apache.flink.table.connector.source.ScanTableSource;

/** Reads the versions or segments of a table, as they are when the job runs. */
final class VersionsTableSource implements ScanTableSource {
  private final String path;
  private final MetadataTable listed;

  VersionsTableSource(String path, MetadataTable listed) {
    this.path = path;
    this.listed = listed;
  }

  @Override
  public ChangelogMode getChangelogMode() {
    return ChangelogMode.insertOnly();
  }

  @Override
  public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
    return InputFormatProvider.of(new VersionsInputFormat(path, listed));
  }

  @Override
  public DynamicTableSource copy() {
    return new VersionsTableSource(path, listed);
  }

  @Override
  public String asSummaryString() {
    return VersionsTableFactory.IDENTIFIER;
  }
}
