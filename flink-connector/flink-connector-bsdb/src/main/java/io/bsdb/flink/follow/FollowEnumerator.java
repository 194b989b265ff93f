package io.bsdb.flink.follow;

import io.bsdb.flink.scan.ScanSpec;
import io.bsdb.flink.state.EnumeratorState;
import io.bsdb.reader.diff.KeySlice;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.util.FlinkRuntimeException;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the keys into slices, once, and deals them out to the readers, who keep them: the changes of
 * a key all come from one reader.
 */
final class FollowEnumerator implements SplitEnumerator<FollowSplit, EnumeratorState<FollowSplit>> {
  private final ScanSpec spec;
  private final SplitEnumeratorContext<FollowSplit> context;
  private final List<FollowSplit> splits;
  private boolean discovered;

  FollowEnumerator(
      ScanSpec spec,
      SplitEnumeratorContext<FollowSplit> context,
      EnumeratorState<FollowSplit> state) {
    this.spec = spec;
    this.context = context;
    this.splits = new ArrayList<>(state.splits());
    this.discovered = state.discovered();
  }

  @Override
  public void start() {
    if (!discovered) {
      context.callAsync(this::discover, this::discovered);
    }
  }

  /** Returns the slices of the version in service. */
  List<FollowSplit> discover() throws IOException {
    Table table = spec.table().table();
    Manifest manifest = table.manifest(table.requireCurrentVersion());
    OpenVersions.mapping(spec, manifest);
    if (manifest.hasKeysOmitted()) {
      throw new ValidationException(
          "version %s does not store its keys ('sink.keys' = 'omitted'), so its changes cannot be found"
              .formatted(manifest.version()));
    }
    List<FollowSplit> found = new ArrayList<>();
    for (KeySlice slice : KeySlice.ofPartitions(manifest)) {
      found.add(new FollowSplit(found.size(), slice, null, manifest.version(), ""));
    }
    return found;
  }

  private void discovered(@Nullable List<FollowSplit> found, @Nullable Throwable failure) {
    if (found == null) {
      FlinkRuntimeException unreadable =
          new FlinkRuntimeException(
              "table %s cannot be followed: path=%s on the JobManager: %s"
                  .formatted(spec.table().name(), spec.table().path(), failure),
              failure);
      throw failure instanceof NoSuchFileException || failure instanceof ValidationException
          ? new SuppressRestartsException(unreadable)
          : unreadable;
    }
    splits.addAll(found);
    discovered = true;
    List.copyOf(context.registeredReaders().keySet()).forEach(this::assign);
  }

  private void assign(int subtask) {
    Iterator<FollowSplit> waiting = splits.iterator();
    while (waiting.hasNext()) {
      FollowSplit split = waiting.next();
      if (split.number() % context.currentParallelism() == subtask) {
        waiting.remove();
        context.assignSplit(split, subtask);
      }
    }
  }

  @Override
  public void addReader(int subtask) {
    assign(subtask);
  }

  @Override
  public void addSplitsBack(List<FollowSplit> returned, int subtask) {
    splits.addAll(returned);
  }

  @Override
  public void handleSplitRequest(int subtask, @Nullable String host) {
    // Readers do not ask.
  }

  @Override
  public EnumeratorState<FollowSplit> snapshotState(long checkpointId) {
    return new EnumeratorState<>(discovered, splits);
  }

  @Override
  public void close() {}
}
