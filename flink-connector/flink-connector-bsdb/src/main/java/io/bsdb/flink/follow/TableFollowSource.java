package io.bsdb.flink.follow;

import io.bsdb.flink.scan.ScanSpec;
import io.bsdb.flink.state.EnumeratorState;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.table.data.RowData;

/**
 * All rows of the version in service when the job starts, and then the changes from it to each
 * version that readers find in service, with the rows before and after. Never ends.
 *
 * @param spec all rows of the table
 */
public record TableFollowSource(ScanSpec spec)
    implements Source<RowData, FollowSplit, EnumeratorState<FollowSplit>> {
  @Override
  public Boundedness getBoundedness() {
    return Boundedness.CONTINUOUS_UNBOUNDED;
  }

  @Override
  public SourceReader<RowData, FollowSplit> createReader(SourceReaderContext context) {
    return new FollowReader(spec, context.metricGroup());
  }

  @Override
  public SplitEnumerator<FollowSplit, EnumeratorState<FollowSplit>> createEnumerator(
      SplitEnumeratorContext<FollowSplit> context) {
    return new FollowEnumerator(spec, context, EnumeratorState.pending());
  }

  @Override
  public SplitEnumerator<FollowSplit, EnumeratorState<FollowSplit>> restoreEnumerator(
      SplitEnumeratorContext<FollowSplit> context, EnumeratorState<FollowSplit> state) {
    return new FollowEnumerator(spec, context, state);
  }

  @Override
  public SimpleVersionedSerializer<FollowSplit> getSplitSerializer() {
    return new FollowSplit.Serializer();
  }

  @Override
  public SimpleVersionedSerializer<EnumeratorState<FollowSplit>>
      getEnumeratorCheckpointSerializer() {
    return new EnumeratorState.Serializer<>(new FollowSplit.Serializer());
  }
}
