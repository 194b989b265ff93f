package io.bsdb.flink.follow;

import io.bsdb.flink.scan.ScanSpec;
import io.bsdb.reader.io.Closing;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.table.data.RowData;
import org.jspecify.annotations.Nullable;

/**
 * Reads slices of the keys in the task's thread, one version of one slice after the other. New
 * versions are looked for, and opened, in the background.
 */
final class FollowReader implements SourceReader<RowData, FollowSplit> {
  /** A version that the background has opened is found after a part of the interval. */
  private static final int LOOKS_PER_INTERVAL = 4;

  private final ScanSpec spec;
  private final List<SliceReader> slices = new ArrayList<>();
  private @Nullable OpenVersions versions;
  private CompletableFuture<Void> available = new CompletableFuture<>();

  /** The slice that is read. */
  private int current;

  /** Slices whose versions are held. */
  private int held;

  FollowReader(ScanSpec spec) {
    this.spec = spec;
  }

  @Override
  public void start() {}

  @Override
  public InputStatus pollNext(ReaderOutput<RowData> output) throws IOException {
    for (; held < slices.size(); held++) {
      slices.get(held).hold(); // before the first is read, which may take long
    }
    for (int i = 0; i < slices.size(); i++) {
      if (slices.get(current).emitNext(output)) {
        return InputStatus.MORE_AVAILABLE;
      }
      current = (current + 1) % slices.size();
    }
    available = new CompletableFuture<>();
    if (!slices.isEmpty()) {
      long millis = spec.settings().refreshInterval().toMillis() / LOOKS_PER_INTERVAL;
      available.completeOnTimeout(null, Math.max(1, millis), TimeUnit.MILLISECONDS);
    }
    return InputStatus.NOTHING_AVAILABLE;
  }

  @Override
  public List<FollowSplit> snapshotState(long checkpointId) {
    return slices.stream().map(SliceReader::state).toList();
  }

  @Override
  public CompletableFuture<Void> isAvailable() {
    return available;
  }

  @Override
  public void addSplits(List<FollowSplit> splits) {
    if (versions == null) {
      versions = new OpenVersions(spec);
    }
    for (FollowSplit split : splits) {
      slices.add(new SliceReader(split, versions));
    }
    available.complete(null);
  }

  @Override
  public void notifyNoMoreSplits() {}

  @Override
  public void close() throws IOException {
    List<Closeable> open = new ArrayList<>(slices);
    slices.clear();
    if (versions != null) {
      open.add(versions);
    }
    Closing.all(open);
  }
}
