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
  private final Wanted wanted;

  /** The kinds of queries. */
  private enum Wanted {
    /** The table as it is. */
    TABLE,
    /** One of its versions, whichever is in service. */
    VERSION
  }

  private SnapshotSource(ScanSpec spec, Wanted wanted) {
    this.spec = spec;
    this.wanted = wanted;
  }

  /** Reads a table as it is when the job starts, or was when it was planned. */
  public static SnapshotSource ofTable(ScanSpec spec) {
    return new SnapshotSource(spec, Wanted.TABLE);
  }

  /** Reads a version that the query names. */
  public static SnapshotSource ofVersion(ScanSpec spec) {
    return new SnapshotSource(spec, Wanted.VERSION);
  }

  /**
   * Returns a version that is at most as new as what is read here; null unless a table is read as
   * it is. Rows of a version that the query names say nothing of later changes.
   */
  public @Nullable String versionOf(DeclaredTable table) throws IOException {
    return wanted == Wanted.TABLE && spec.table().path().equals(table.path())
        ? spec.version()
        : null;
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
