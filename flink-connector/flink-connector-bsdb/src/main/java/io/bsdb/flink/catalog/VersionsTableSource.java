package io.bsdb.flink.catalog;

import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.InputFormatProvider;
import org.apache.flink.table.connector.source.ScanTableSource;

/** Reads the versions of a table, as they are when the job runs. */
final class VersionsTableSource implements ScanTableSource {
  private final String path;

  VersionsTableSource(String path) {
    this.path = path;
  }

  @Override
  public ChangelogMode getChangelogMode() {
    return ChangelogMode.insertOnly();
  }

  @Override
  public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
    return InputFormatProvider.of(new VersionsInputFormat(path));
  }

  @Override
  public DynamicTableSource copy() {
    return new VersionsTableSource(path);
  }

  @Override
  public String asSummaryString() {
    return VersionsTableFactory.IDENTIFIER;
  }
}
