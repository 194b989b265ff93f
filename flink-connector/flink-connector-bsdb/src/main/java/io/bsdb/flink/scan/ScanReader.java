package io.bsdb.flink.scan;

import io.bsdb.flink.storage.LocalDirectories;
import io.bsdb.reader.RecordCursor;
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
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/** Reads one partition after the other, in the task's thread. */
final class ScanReader implements SourceReader<RowData, ScanSplit> {
  private final ScanSpec spec;
  private final SourceReaderContext context;
  private final Deque<ScanSplit> splits = new ArrayDeque<>();
  private CompletableFuture<Void> available = new CompletableFuture<>();
  private Splits expected = Splits.MORE;
  private @Nullable ScannedVersion open;
  private @Nullable ScanSplit split;
  private @Nullable RecordCursor cursor;
  private long position;

  private enum Splits {
    MORE,
    NO_MORE
  }

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
    RecordCursor current = cursor == null ? openNext() : cursor;
    if (current == null || open == null) {
      if (expected == Splits.NO_MORE) {
        return InputStatus.END_OF_INPUT;
      }
      return InputStatus.NOTHING_AVAILABLE;
    }
    if (current.next()) {
      output.collect(decode(open, current));
      position++;
    } else {
      current.close();
      cursor = null;
      split = null;
      if (!spec.isReadInPlace()) {
        closeVersion();
      }
      if (splits.isEmpty() && expected == Splits.MORE) {
        available = new CompletableFuture<>();
        context.sendSplitRequest();
      }
    }
    return InputStatus.MORE_AVAILABLE;
  }

  private RowData decode(ScannedVersion version, RecordCursor current) throws IOException {
    try {
      return version.decode(current);
    } catch (UnsupportedOperationException e) {
      throw new ValidationException(
          "table %s was built with 'sink.keys' = 'omitted' and cannot tell its primary key columns %s; select other columns"
              .formatted(spec.table().name(), spec.table().primaryKey()),
          e);
    }
  }

  private @Nullable RecordCursor openNext() throws IOException {
    ScanSplit next = splits.poll();
    if (next == null) {
      return null;
    }
    if (open == null) {
      open = ScannedVersion.open(spec, next, copies());
    }
    RecordCursor opened = open.scan(next.partition());
    split = next;
    cursor = opened;
    for (position = 0; position < next.position(); position++) {
      if (!opened.next()) {
        throw new IOException("partition is shorter than what was read of it: " + next);
      }
    }
    return opened;
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
    expected = Splits.NO_MORE;
    available.complete(null);
  }

  @Override
  public void close() throws IOException {
    if (cursor != null) {
      cursor.close();
      cursor = null;
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
