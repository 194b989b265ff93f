package io.bsdb.flink.scan;

import io.bsdb.flink.storage.LocalDirectories;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/** Reads one split after the other, in the task's thread. */
final class ScanReader implements SourceReader<RowData, ScanSplit> {
  private final ScanSpec spec;
  private final SourceReaderContext context;
  private final Deque<ScanSplit> splits = new ArrayDeque<>();
  private CompletableFuture<Void> available = new CompletableFuture<>();
  private boolean noMoreSplits;
  private @Nullable ScannedVersion open;
  private @Nullable ScanSplit split;
  private @Nullable SplitRows rows;
  private long position;

  ScanReader(ScanSpec spec, SourceReaderContext context) {
    this.spec = spec;
    this.context = context;
  }

  @Override
  public void start() {
    if (splits.isEmpty()) {
      context.sendSplitRequest();
    }
  }

  @Override
  public InputStatus pollNext(ReaderOutput<RowData> output) throws IOException {
    SplitRows current = rows == null ? openNext() : rows;
    if (current == null) {
      return noMoreSplits ? InputStatus.END_OF_INPUT : InputStatus.NOTHING_AVAILABLE;
    }
    RowData row = current.next();
    if (row != null) {
      output.collect(row);
      position++;
    } else {
      current.close();
      rows = null;
      split = null;
      if (open != null && !open.isWhole()) {
        closeVersion();
      }
      if (splits.isEmpty() && !noMoreSplits) {
        available = new CompletableFuture<>();
        context.sendSplitRequest();
      }
    }
    return InputStatus.MORE_AVAILABLE;
  }

  private @Nullable SplitRows openNext() throws IOException {
    ScanSplit next = splits.poll();
    if (next == null) {
      return null;
    }
    SplitRows opened = open(next);
    split = next;
    rows = opened;
    for (position = 0; position < next.position(); position++) {
      if (opened.next() == null) {
        throw new IOException("split is shorter than what was read of it: " + next);
      }
    }
    return opened;
  }

  private SplitRows open(ScanSplit next) throws IOException {
    if (spec.extent() instanceof Extent.RowCount count) {
      Manifest manifest = spec.table().table().manifest(next.version());
      if (count.isExactIn(manifest)) {
        return SplitRows.ofCount(manifest.recordCount(), count.columns());
      }
    }
    ScannedVersion version = open;
    if (version == null) {
      version = ScannedVersion.open(spec, next, copies());
      open = version;
    }
    return version.rows(next.partition());
  }

  @Override
  public List<ScanSplit> snapshotState(long checkpointId) {
    List<ScanSplit> state = new ArrayList<>();
    if (split != null) {
      state.add(new ScanSplit(split.version(), split.partition(), position));
    }
    state.addAll(splits);
    return state;
  }

  @Override
  public CompletableFuture<Void> isAvailable() {
    return available;
  }

  @Override
  public void addSplits(List<ScanSplit> added) {
    splits.addAll(added);
    available.complete(null);
  }

  @Override
  public void notifyNoMoreSplits() {
    noMoreSplits = true;
    available.complete(null);
  }

  @Override
  public void close() throws IOException {
    if (rows != null) {
      rows.close();
      rows = null;
    }
    closeVersion();
  }

  private void closeVersion() throws IOException {
    ScannedVersion version = open;
    open = null;
    if (version != null) {
      version.close();
    }
  }

  private Path copies() {
    String directory = spec.settings().localDirectory();
    return directory == null
        ? LocalDirectories.ofTable(spec.table().path(), context.getConfiguration())
        : Path.of(directory);
  }
}
