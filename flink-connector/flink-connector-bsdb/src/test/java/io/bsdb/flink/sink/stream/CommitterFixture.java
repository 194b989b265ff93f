package io.bsdb.flink.sink.stream;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.MeteredGroup;
import io.bsdb.flink.sink.TestRequest;
import io.bsdb.flink.sink.build.FaultyBuild;
import io.bsdb.flink.storage.LocalDirectories;
import io.bsdb.flink.storage.NoRenameFileSystem;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.Build;
import io.bsdb.table.StreamRule;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.StreamProgress.Checkpoint;
import io.bsdb.writer.SegmentFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A table into which a stream is committed, and its committer. */
abstract class CommitterFixture {
  static final UUID A = new UUID(0, 0xA);
  static final UUID B = new UUID(0, 0xB);
  @TempDir Path directory;
  Table table;

  /** Those of the committer that was opened last. */
  final Map<String, Metric> metrics = new HashMap<>();

  @BeforeEach
  void begin() {
    table = Table.at(directory);
  }

  @AfterEach
  void makeRoom() {
    NoRenameFileSystem.full(name -> false);
    NoRenameFileSystem.writing(name -> {});
  }

  static Checkpoint at(UUID incarnation, long number) {
    return new Checkpoint(incarnation, number);
  }

  /** A delta that gives the key 1 a value. */
  Delta delta(@Nullable StreamRule origin, long value) throws IOException {
    try (SegmentFiles files = new SegmentFiles(table.storage())) {
      files.put(bytes(1), bytes(value));
      return new Delta(origin, files.finish());
    }
  }

  Delta delta(Checkpoint checkpoint, @Nullable Checkpoint previous) throws IOException {
    return delta(new StreamRule("s", checkpoint, previous), checkpoint.number());
  }

  static byte[] bytes(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }

  DeltaCommitter open(DeclaredTable declared, @Nullable Build build) throws IOException {
    return open(declared, build, true);
  }

  DeltaCommitter open(DeclaredTable declared, @Nullable Build build, boolean tidiesUp)
      throws IOException {
    return open(declared, build, tidiesUp, true);
  }

  DeltaCommitter open(
      DeclaredTable declared, @Nullable Build build, boolean tidiesUp, boolean foldsStreams)
      throws IOException {
    BuildSettings settings = FaultyBuild.settings();
    metrics.clear();
    return DeltaCommitter.open(
        declared,
        new BuildSettings(
            settings.writer(),
            settings.retainVersions(),
            settings.stagingRetention(),
            foldsStreams),
        build == null ? "s" : null,
        build,
        null,
        new MeteredGroup("", metrics),
        tidiesUp);
  }

  /** Commits as a committer does that was started for it, and says whether it was a repetition. */
  boolean repeats(Delta delta) throws IOException {
    return repeats(delta, null);
  }

  boolean repeats(Delta delta, @Nullable Build build) throws IOException {
    TestRequest<Delta> request = new TestRequest<>(delta);
    try (DeltaCommitter committer = open(FaultyBuild.table(directory), build)) {
      committer.commit(List.of(request));
    }
    return request.repeated().get() == 1;
  }

  long value() throws IOException {
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      return ByteBuffer.wrap(Objects.requireNonNull(reader.get(bytes(1)))).getLong();
    }
  }

  long gauge(String name) {
    Gauge<?> gauge = (Gauge<?>) Objects.requireNonNull(metrics.get("bsdb.table.t." + name));
    return ((Number) gauge.getValue()).longValue();
  }

  List<Path> temporaryDirectories() throws IOException {
    Path parent = LocalDirectories.ofTable(NoRenameFileSystem.path(directory));
    try (Stream<Path> children = Files.list(Files.createDirectories(parent))) {
      return children.filter(path -> path.toString().contains("-fold-")).toList();
    }
  }
}
