package io.bsdb.flink.catalog;

import io.bsdb.flink.sink.build.SnapshotSink;
import java.util.Set;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.transformations.SinkTransformation;
import org.apache.flink.table.catalog.StagedTable;
import org.apache.flink.table.catalog.TableDistribution;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.sink.DataStreamSinkProvider;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.sink.abilities.SupportsBucketing;
import org.apache.flink.table.connector.sink.abilities.SupportsOverwrite;
import org.apache.flink.table.connector.sink.abilities.SupportsStaging;
import org.apache.flink.table.data.RowData;

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
    var provider = (DataStreamSinkProvider) sink.getSinkRuntimeProvider(context);
    return new DataStreamSinkProvider() {
      @Override
      public DataStreamSink<?> consumeDataStream(
          ProviderContext providerContext, DataStream<RowData> rows) {
        DataStreamSink<?> written = provider.consumeDataStream(providerContext, rows);
        if (written.getTransformation() instanceof SinkTransformation<?, ?> transformation
            && transformation.getSink() instanceof SnapshotSink built) {
          creation.builds(built.build());
        }
        return written;
      }
    };
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
