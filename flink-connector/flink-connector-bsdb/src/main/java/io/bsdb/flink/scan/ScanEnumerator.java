package io.bsdb.flink.scan;

import io.bsdb.flink.state.EnumeratorState;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.util.FlinkRuntimeException;
import org.jspecify.annotations.Nullable;

/** Chooses the version once, and gives its partitions to the readers that ask. */
final class ScanEnumerator implements SplitEnumerator<ScanSplit, EnumeratorState<ScanSplit>> {
  private final ScanSpec spec;
  private final SplitEnumeratorContext<ScanSplit> context;
  private final Deque<ScanSplit> splits;
  private final Set<Integer> waiting = new LinkedHashSet<>();
  private boolean discovered;
  private volatile @Nullable Manifest scanned;

  ScanEnumerator(
      ScanSpec spec, SplitEnumeratorContext<ScanSplit> context, EnumeratorState<ScanSplit> state) {
    this.spec = spec;
    this.context = context;
    this.splits = new ArrayDeque<>(state.splits());
    this.discovered = state.discovered();
  }

  @Override
  public void start() {
    if (!discovered) {
      MetricGroup metrics = context.metricGroup().addGroup("bsdb");
      metrics.gauge("version", () -> scanned(Manifest::version));
      metrics.gauge("layout", () -> scanned(manifest -> manifest.options().get("layout")));
      context.callAsync(this::discover, this::discovered);
    }
  }

  private String scanned(Function<Manifest, @Nullable String> property) {
    Manifest manifest = scanned;
    return manifest == null ? "" : Objects.requireNonNullElse(property.apply(manifest), "");
  }

  private List<ScanSplit> discover() throws IOException {
    Manifest manifest = spec.table().table().manifest(spec.version());
    scanned = manifest;
    return spec.splits(manifest);
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
    discovered = true;
    List<Integer> readers = List.copyOf(waiting);
    waiting.clear();
    readers.forEach(this::assign);
  }

  @Override
  public void handleSplitRequest(int subtask, @Nullable String host) {
    if (discovered) {
      assign(subtask);
    } else {
      waiting.add(subtask);
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
  public EnumeratorState<ScanSplit> snapshotState(long checkpointId) {
    return new EnumeratorState<>(discovered, List.copyOf(splits));
  }

  @Override
  public void close() {}
}
