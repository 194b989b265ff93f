package io.bsdb.flink.scan;

import io.bsdb.flink.scan.ScanState.Discovery;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.util.FlinkRuntimeException;
import org.jspecify.annotations.Nullable;

/** Chooses the version once, and gives its partitions to the readers that ask. */
final class ScanEnumerator implements SplitEnumerator<ScanSplit, ScanState> {
  private final ScanSpec spec;
  private final SplitEnumeratorContext<ScanSplit> context;
  private final Deque<ScanSplit> splits;
  private final Set<Integer> waiting = new LinkedHashSet<>();
  private Discovery discovery;

  ScanEnumerator(ScanSpec spec, SplitEnumeratorContext<ScanSplit> context, ScanState state) {
    this.spec = spec;
    this.context = context;
    this.splits = new ArrayDeque<>(state.splits());
    this.discovery = state.discovery();
  }

  @Override
  public void start() {
    if (discovery == Discovery.PENDING) {
      context.callAsync(this::discover, this::discovered);
    }
  }

  private List<ScanSplit> discover() throws IOException {
    return spec.splits(spec.table().table().manifest(spec.version()));
  }

  private void discovered(@Nullable List<ScanSplit> found, @Nullable Throwable failure) {
    if (found == null) {
      FlinkRuntimeException unreadable =
          new FlinkRuntimeException(
              "table %s cannot be scanned: path=%s on the JobManager: %s"
                  .formatted(spec.table().name(), spec.table().path(), failure),
              failure);
      // A restart does not bring a version that is not there.
      throw failure instanceof NoSuchFileException
          ? new SuppressRestartsException(unreadable)
          : unreadable;
    }
    splits.addAll(found);
    discovery = Discovery.DONE;
    List<Integer> readers = List.copyOf(waiting);
    waiting.clear();
    readers.forEach(this::assign);
  }

  @Override
  public void handleSplitRequest(int subtask, @Nullable String host) {
    if (discovery == Discovery.PENDING) {
      waiting.add(subtask);
    } else {
      assign(subtask);
    }
  }

  private void assign(int subtask) {
    if (!context.registeredReaders().containsKey(subtask)) {
      return;
    }
    ScanSplit split = splits.poll();
    if (split == null) {
      context.signalNoMoreSplits(subtask);
    } else {
      context.assignSplit(split, subtask);
    }
  }

  @Override
  public void addSplitsBack(List<ScanSplit> returned, int subtask) {
    splits.addAll(returned);
  }

  @Override
  public void addReader(int subtask) {
    // Readers ask for their splits.
  }

  @Override
  public ScanState snapshotState(long checkpointId) {
    return new ScanState(discovery, List.copyOf(splits));
  }

  @Override
  public void close() {}
}
