package io.bsdb.flink.scan;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.state.EnumeratorState;
import io.bsdb.flink.state.EnumeratorStateSerializer;
import java.io.IOException;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/** All rows of the version in service when the job starts; a split per partition. */
public final class SnapshotSource
    implements Source<RowData, ScanSplit, EnumeratorState<ScanSplit>> {
  private static final long serialVersionUID = 1L;

  private final ScanSpec spec;

  public SnapshotSource(ScanSpec spec) {
    this.spec = spec;
  }

  /** Returns the version of a table that is at most as new as what is read here, if it is read. */
  public @Nullable String versionOf(DeclaredTable table) throws IOException {
    return spec.table().path().equals(table.path()) ? spec.version() : null;
  }

  @Override
  public Boundedness getBoundedness() {
    return Boundedness.BOUNDED;
  }

  @Override
  public SourceReader<RowData, ScanSplit> createReader(SourceReaderContext context) {
    return new ScanReader(spec, context);
  }

  @Override
  public SplitEnumerator<ScanSplit, EnumeratorState<ScanSplit>> createEnumerator(
      SplitEnumeratorContext<ScanSplit> context) {
    return new ScanEnumerator(spec, context, EnumeratorState.pending());
  }

  @Override
  public SplitEnumerator<ScanSplit, EnumeratorState<ScanSplit>> restoreEnumerator(
      SplitEnumeratorContext<ScanSplit> context, EnumeratorState<ScanSplit> state) {
    return new ScanEnumerator(spec, context, state);
  }

  @Override
  public SimpleVersionedSerializer<ScanSplit> getSplitSerializer() {
    return new ScanSplitSerializer();
  }

  @Override
  public SimpleVersionedSerializer<EnumeratorState<ScanSplit>> getEnumeratorCheckpointSerializer() {
    return new EnumeratorStateSerializer<>(new ScanSplitSerializer());
  }
}
