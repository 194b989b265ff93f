package io.bsdb.flink.scan;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.state.EnumeratorState;
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

/**
 * All rows of the version in service when the job starts; a split per partition.
 *
 * @param namesVersion whether the query names the version, and does not read the table as it is
 */
public record SnapshotSource(ScanSpec spec, boolean namesVersion)
    implements Source<RowData, ScanSplit, EnumeratorState<ScanSplit>> {
  /**
   * Returns a version that is at most as new as what is read here; null unless a table is read as
   * it is. Rows of a version that the query names say nothing of later changes.
   */
  public @Nullable String versionOf(DeclaredTable table) throws IOException {
    return !namesVersion && spec.table().path().equals(table.path()) ? spec.version() : null;
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
    return new ScanSplit.Serializer();
  }

  @Override
  public SimpleVersionedSerializer<EnumeratorState<ScanSplit>> getEnumeratorCheckpointSerializer() {
    return new EnumeratorState.Serializer<>(new ScanSplit.Serializer());
  }
}
