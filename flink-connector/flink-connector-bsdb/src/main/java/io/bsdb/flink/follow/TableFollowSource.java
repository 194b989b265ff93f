package io.bsdb.flink.follow;

import io.bsdb.flink.follow.FollowState.Discovery;
import io.bsdb.flink.scan.ScanSpec;
import java.util.List;
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
 */
public final class TableFollowSource implements Source<RowData, FollowSplit, FollowState> {
  private static final long serialVersionUID = 1L;

  private final ScanSpec spec;

  /**
   * @param spec all rows of the table
   */
  public TableFollowSource(ScanSpec spec) {
    this.spec = spec;
  }

  @Override
  public Boundedness getBoundedness() {
    return Boundedness.CONTINUOUS_UNBOUNDED;
  }

  @Override
  public SourceReader<RowData, FollowSplit> createReader(SourceReaderContext context) {
    return new FollowReader(spec);
  }

  @Override
  public SplitEnumerator<FollowSplit, FollowState> createEnumerator(
      SplitEnumeratorContext<FollowSplit> context) {
    return new FollowEnumerator(spec, context, new FollowState(Discovery.PENDING, List.of()));
  }

  @Override
  public SplitEnumerator<FollowSplit, FollowState> restoreEnumerator(
      SplitEnumeratorContext<FollowSplit> context, FollowState state) {
    return new FollowEnumerator(spec, context, state);
  }

  @Override
  public SimpleVersionedSerializer<FollowSplit> getSplitSerializer() {
    return new FollowSplitSerializer();
  }

  @Override
  public SimpleVersionedSerializer<FollowState> getEnumeratorCheckpointSerializer() {
    return new FollowStateSerializer();
  }
}
