package io.bsdb.flink.scan;

import io.bsdb.flink.lookup.SharedSnapshots;
import io.bsdb.flink.row.RowDecoder;
import io.bsdb.flink.row.SnapshotMapping;
import io.bsdb.reader.LiveSnapshot;
import io.bsdb.reader.RecordCursor;
import java.io.IOException;
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
  private @Nullable OpenVersion open;
  private @Nullable ScanSplit split;
  private @Nullable RecordCursor cursor;
  private long position;

  private enum Splits {
    MORE,
    NO_MORE
  }

  /** The version that all splits of a scan are of. */
  private record OpenVersion(
      SharedSnapshots.Use use, LiveSnapshot.Lease lease, RowDecoder decoder, Keys keys) {
    private enum Keys {
      READ,
      SKIPPED
    }

    static OpenVersion of(ScanSpec spec, String version) throws IOException {
      SharedSnapshots.Use use =
          SharedSnapshots.use(spec.table().directory(), spec.settings().pinnedTo(version));
      try {
        LiveSnapshot.Lease lease = use.live().lease();
        RowDecoder decoder =
            SnapshotMapping.of(spec.table(), lease.reader().manifest())
                .decoder(spec.projection(), lease.reader().manifest());
        return new OpenVersion(use, lease, decoder, decoder.needsKeys() ? Keys.READ : Keys.SKIPPED);
      } catch (RuntimeException | Error e) {
        try {
          use.close();
        } catch (IOException suppressed) {
          e.addSuppressed(suppressed);
        }
        throw e;
      }
    }

    RowData decode(RecordCursor cursor) throws IOException {
      return keys == Keys.READ
          ? decoder.decode(cursor.key(), cursor.value())
          : decoder.decode(cursor.value());
    }

    void close() throws IOException {
      try {
        lease.close();
      } finally {
        use.close();
      }
    }
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
      if (splits.isEmpty() && expected == Splits.MORE) {
        available = new CompletableFuture<>();
        context.sendSplitRequest();
      }
    }
    return InputStatus.MORE_AVAILABLE;
  }

  private RowData decode(OpenVersion version, RecordCursor current) throws IOException {
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
      open = OpenVersion.of(spec, next.version());
    }
    RecordCursor opened = open.lease().reader().scan(next.partition());
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
    if (open != null) {
      open.close();
      open = null;
    }
  }
}
