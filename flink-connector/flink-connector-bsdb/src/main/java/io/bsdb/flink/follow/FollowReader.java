package io.bsdb.flink.follow;

import io.bsdb.flink.scan.ScanSpec;
import io.bsdb.format.io.Closing;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.io.Closeable;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.MetricGroup;
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
  private final MetricGroup metrics;
  private final List<SliceReader> slices = new ArrayList<>();
  private volatile @Nullable OpenVersions versions;
  private CompletableFuture<Void> available = new CompletableFuture<>();

  /** The slice that is read. */
  private int current;

  /** Slices whose versions are held. */
  private int held;

  /** The oldest of the versions to which slices have come; null before one is held. */
  private volatile @Nullable Manifest followed;

  FollowReader(ScanSpec spec, MetricGroup metrics) {
    this.spec = spec;
    this.metrics = metrics;
  }

  @Override
  public void start() {
    MetricGroup group = metrics.addGroup("bsdb");
    group.gauge("version", this::version);
    group.gauge("versionAgeSeconds", this::ageSeconds);
    group.gauge("versionsBehind", this::versionsBehind);
    group.gauge("latestLoadFailure", this::latestLoadFailure);
  }

  private String version() {
    Manifest version = followed;
    return version == null ? "" : version.version();
  }

  private long ageSeconds() {
    Manifest version = followed;
    return version == null ? 0 : version.age(Instant.now()).toSeconds();
  }

  private long versionsBehind() {
    Manifest version = followed;
    TableReader newest = newest();
    if (version == null || newest == null || newest.version().equals(version.version())) {
      return 0;
    }
    // An older version is the next one if the table was rolled back to it.
    return Math.max(1, Table.sequence(newest.version()) - Table.sequence(version.version()));
  }

  private String latestLoadFailure() {
    TableReader newest = newest();
    return newest == null ? "" : Objects.toString(newest.refreshFailure(), "");
  }

  private @Nullable TableReader newest() {
    OpenVersions open = versions;
    return open == null ? null : open.newest();
  }

  @Override
  public InputStatus pollNext(ReaderOutput<RowData> output) throws IOException {
    for (; held < slices.size(); held++) {
      slices.get(held).hold(); // before the first is read, which may take long
      followed = oldest(held + 1);
    }
    for (int i = 0; i < slices.size(); i++) {
      if (slices.get(current).emitNext(output)) {
        return InputStatus.MORE_AVAILABLE;
      }
      current = (current + 1) % slices.size();
      followed = oldest(held);
    }
    available = new CompletableFuture<>();
    if (!slices.isEmpty()) {
      long millis = spec.settings().refreshInterval().toMillis() / LOOKS_PER_INTERVAL;
      available.completeOnTimeout(null, Math.max(1, millis), TimeUnit.MILLISECONDS);
    }
    return InputStatus.NOTHING_AVAILABLE;
  }

  /** Returns the oldest version to which some slices have come. */
  private @Nullable Manifest oldest(int count) {
    return slices.stream()
        .limit(count)
        .map(SliceReader::followed)
        .min(Comparator.comparing(Manifest::version))
        .orElse(null);
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
    OpenVersions open = versions == null ? new OpenVersions(spec) : versions;
    versions = open;
    for (FollowSplit split : splits) {
      slices.add(new SliceReader(split, open));
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
