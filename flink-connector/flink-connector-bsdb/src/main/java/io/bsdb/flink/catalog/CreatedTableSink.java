package io.bsdb.flink.catalog;

import java.util.Set;
import org.apache.flink.table.catalog.StagedTable;
import org.apache.flink.table.catalog.TableDistribution;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.abilities.SupportsBucketing;
import org.apache.flink.table.connector.sink.abilities.SupportsOverwrite;
import org.apache.flink.table.connector.sink.abilities.SupportsStaging;

/** The target of CREATE TABLE … AS SELECT: a table that is there once it has been built. */
final class CreatedTableSink implements DynamicTableSink, SupportsStaging, SupportsBucketing {
  private final DynamicTableSink sink;
  private final TableCreation creation;

  /**
   * @param sink of INSERT OVERWRITE
   */
  CreatedTableSink(DynamicTableSink sink, TableCreation creation) {
    this.sink = sink;
    this.creation = creation;
    ((SupportsOverwrite) sink).applyOverwrite(true);
  }

  @Override
  public StagedTable applyStaging(StagingContext context) {
    creation.check(context.getStagingPurpose());
    return creation;
  }

  @Override
  public ChangelogMode getChangelogMode(ChangelogMode requestedMode) {
    return sink.getChangelogMode(requestedMode);
  }

  @Override
  public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
    return sink.getSinkRuntimeProvider(context);
  }

  @Override
  public Set<TableDistribution.Kind> listAlgorithms() {
    return ((SupportsBucketing) sink).listAlgorithms();
  }

  @Override
  public boolean requiresBucketCount() {
    return ((SupportsBucketing) sink).requiresBucketCount();
  }

  @Override
  public DynamicTableSink copy() {
    return new CreatedTableSink(sink.copy(), creation);
  }

  @Override
  public String asSummaryString() {
    return sink.asSummaryString();
  }
}
