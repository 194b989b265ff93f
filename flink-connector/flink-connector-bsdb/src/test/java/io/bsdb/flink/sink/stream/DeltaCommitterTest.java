package io.bsdb.flink.sink.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.compact.Compactor;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.MeteredGroup;
import io.bsdb.flink.sink.TestRequest;
import io.bsdb.flink.sink.build.FaultyBuild;
import io.bsdb.flink.storage.LocalDirectories;
import io.bsdb.flink.storage.NoRenameFileSystem;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.Build;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.StreamRule;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.manifest.StreamProgress.Checkpoint;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.InService;
import io.bsdb.testkit.Records;
import io.bsdb.writer.SegmentFiles;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class DeltaCommitterTest {
  private static final UUID A = new UUID(0, 0xA);
  private static final UUID B = new UUID(0, 0xB);
  private static final UUID C = new UUID(0, 0xC);

  private static final int MANY = 60_000;

  @TempDir Path directory;
  private Table table;

  /** Those of the committer that was opened last. */
  private final Map<String, Metric> metrics = new HashMap<>();

  @BeforeEach
  void begin() {
    table = Table.at(directory);
  }

  @AfterEach
  void makeRoom() {
    NoRenameFileSystem.full(name -> false);
    NoRenameFileSystem.writing(name -> {});
  }

  private static Checkpoint at(UUID incarnation, long number) {
    return new Checkpoint(incarnation, number);
  }

  /** A delta that gives the key 1 a value. */
  private Delta delta(@Nullable StreamRule origin, long value) throws IOException {
    try (SegmentFiles files = new SegmentFiles(table.storage())) {
      files.put(bytes(1), bytes(value));
      return new Delta(origin, files.finish());
    }
  }

  private Delta delta(Checkpoint checkpoint, @Nullable Checkpoint previous) throws IOException {
    return delta(new StreamRule("s", checkpoint, previous), checkpoint.number());
  }

  private static byte[] bytes(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }

  private DeltaCommitter open(DeclaredTable declared, @Nullable Build build) throws IOException {
    return open(declared, build, true);
  }

  private DeltaCommitter open(DeclaredTable declared, @Nullable Build build, boolean tidiesUp)
      throws IOException {
    return open(declared, build, tidiesUp, true);
  }

  private DeltaCommitter open(
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

  @Test
  void oneTaskBuildsTheEmptyVersion() throws Exception {
    Path fresh = directory.resolve("fresh");
    open(FaultyBuild.table(fresh), null, false).close();
    assertThat(Table.at(fresh).versions()).isEmpty();
    open(FaultyBuild.table(fresh), null, true).close();
    open(FaultyBuild.table(fresh), null, false).close();
    assertThat(Table.at(fresh).versions()).hasSize(1);
  }

  @Test
  void aTableWithVersionsIsNotBegunAgain() throws Exception {
    open(FaultyBuild.table(directory), null, true).close();
    List<String> versions = table.versions();
    Files.delete(directory.resolve("CURRENT"));
    for (boolean tidiesUp : new boolean[] {true, false}) {
      assertThatThrownBy(() -> open(FaultyBuild.table(directory), null, tidiesUp))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("bsdb rollback --table");
    }
    assertThat(table.versions()).isEqualTo(versions);
  }

  /** Commits as a committer does that was started for it, and says whether it was a repetition. */
  private boolean repeats(Delta delta) throws IOException {
    return repeats(delta, null);
  }

  private boolean repeats(Delta delta, @Nullable Build build) throws IOException {
    TestRequest<Delta> request = new TestRequest<>(delta);
    try (DeltaCommitter committer = open(FaultyBuild.table(directory), build)) {
      committer.commit(List.of(request));
    }
    return request.repeated().get() == 1;
  }

  private long value() throws IOException {
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      return ByteBuffer.wrap(Objects.requireNonNull(reader.get(bytes(1)))).getLong();
    }
  }

  private void assertRefused(Delta delta, String... words) throws IOException {
    String before = table.requireCurrentVersion();
    assertThatThrownBy(() -> repeats(delta))
        .isInstanceOf(SuppressRestartsException.class)
        .cause()
        .hasMessageContainingAll(words);
    assertThat(table.currentVersion()).isEqualTo(before);
  }

  @Test
  void buildsATableWithoutVersionAndAppends() throws IOException {
    assertThat(repeats(delta(at(A, 1), null))).isFalse();
    assertThat(table.versions()).hasSize(2);
    assertThat(InService.of(table).changes().streams().get("s").last()).isEqualTo(at(A, 1));
    assertThat(value()).isEqualTo(1);
  }

  @Test
  void recognizesRepetitions() throws IOException {
    Delta first = delta(at(A, 1), null);
    Delta second = delta(at(A, 2), at(A, 1));
    Delta third = delta(at(B, 3), at(A, 2));
    assertThat(repeats(first)).isFalse();
    assertThat(repeats(second)).isFalse();
    assertThat(repeats(first)).isTrue();
    assertThat(repeats(third)).isFalse();
    String before = table.requireCurrentVersion();
    assertThat(repeats(second)).isTrue();
    assertThat(repeats(third)).isTrue();
    assertThat(table.currentVersion()).isEqualTo(before);
    assertThat(InService.of(table).changes().segments()).hasSize(3);
    assertThat(value()).isEqualTo(3);
  }

  @Test
  void recognizesRepetitionsAfterSegmentsWereMerged() throws IOException {
    Delta first = delta(at(A, 1), null);
    repeats(first);
    repeats(delta(at(A, 2), at(A, 1)));
    new Compactor(directory).maxSegments(1).foldFraction(Double.POSITIVE_INFINITY).run();
    assertThat(repeats(first)).isTrue();
    new Compactor(directory).foldFraction(0).run();
    assertThat(InService.of(table).changes().segments()).isEmpty();
    assertThat(repeats(first)).isTrue();
    assertThat(value()).isEqualTo(2);
  }

  @Test
  void goesOnFromARewoundState() throws IOException {
    repeats(delta(at(A, 1), null));
    repeats(delta(at(A, 2), at(A, 1)));
    repeats(delta(at(B, 2), at(A, 1)));
    assertThat(InService.of(table).changes().streams().get("s").last()).isEqualTo(at(B, 2));
    repeats(delta(at(C, 2), at(A, 1)));
    assertThat(InService.of(table).changes().streams().get("s").superseded())
        .containsExactly(at(A, 2), at(B, 2));
  }

  @Test
  void refusesASupersededJob() throws IOException {
    repeats(delta(at(A, 1), null));
    repeats(delta(at(B, 2), at(A, 1)));
    assertRefused(
        delta(at(A, 2), at(A, 1)),
        "checkpoint " + at(A, 2) + " of stream 's', which follows " + at(A, 1),
        "superseded by another one that started from its state and wrote the stream up to "
            + at(B, 2),
        "Let only one of them run");
  }

  @Test
  void refusesAJobThatStartsAnew() throws IOException {
    repeats(delta(at(A, 7), null));
    assertRefused(
        delta(at(B, 1), null),
        "another job wrote the stream, up to " + at(A, 7),
        "choose another 'sink.stream', or end the stream by CALL sys.end_stream('database.table', 's')");
    assertThat(repeats(delta(new StreamRule("other", at(B, 1), null), 9))).isFalse();
    assertThat(InService.of(table).changes().streams()).containsOnlyKeys("s", "other");
  }

  @Test
  void refusesAGap() throws IOException {
    repeats(delta(at(A, 1), null));
    String before = table.requireCurrentVersion();
    repeats(delta(at(A, 2), at(A, 1)));
    table.rollback(before);
    assertRefused(
        delta(at(A, 3), at(A, 2)),
        "which follows " + at(A, 2),
        "what comes between is missing: the stream was written up to " + at(A, 1));
    assertRefused(delta(at(B, 3), at(A, 2)), "what comes between is missing");
    assertRefused(
        delta(new StreamRule("other", at(A, 3), at(A, 2)), 1),
        "the table does not record the stream");
  }

  @Test
  void namesASegmentThatIsGone() throws IOException {
    repeats(delta(at(A, 1), null));
    Delta delta = delta(at(A, 2), at(A, 1));
    Files.delete(directory.resolve(delta.files().get(0).path()));
    assertThatThrownBy(() -> repeats(delta))
        .isInstanceOf(SuppressRestartsException.class)
        .cause()
        .isInstanceOf(NoSuchFileException.class)
        .hasMessageContaining(delta.files().get(0).path());
  }

  @Test
  void appendsADeltaOfABatchJobOnce() throws IOException {
    repeats(delta(at(A, 1), null));
    Build build = table.begin();
    Delta delta = delta((StreamRule) null, 5);
    assertThat(repeats(delta, build)).isFalse();
    assertThat(value()).isEqualTo(5);
    assertThat(repeats(delta, build)).isTrue();
    repeats(delta(at(A, 2), at(A, 1)));
    assertThat(repeats(delta, build)).isTrue();
    new Compactor(directory).foldFraction(0).run();
    table.prune(1);
    assertThat(repeats(delta, build)).as("it is in the history").isTrue();
    assertThat(value()).isEqualTo(2);
  }

  /** As when a machine is lost after the publication, before the job has heard of it. */
  @Test
  void appendsADeltaOfABatchJobOnceThoughItsWritersRanAgain() throws IOException {
    repeats(delta(at(A, 1), null));
    Build build = table.begin();
    assertThat(repeats(delta((StreamRule) null, 5), build)).isFalse();
    repeats(delta(at(A, 2), at(A, 1)));

    Delta again = delta((StreamRule) null, 5);
    assertThat(repeats(again, build)).isTrue();

    assertThat(value()).isEqualTo(2);
    assertThat(directory.resolve(again.files().get(0).path())).doesNotExist();
    assertThat(repeats(delta((StreamRule) null, 6), table.begin())).as("another job").isFalse();
    assertThat(value()).isEqualTo(6);
  }

  @Test
  void mergesSegments() throws IOException {
    repeats(delta(at(A, 1), null));
    for (int i = 0; i < Compactor.MAX_SEGMENTS; i++) {
      Records.empty().add(bytes(i), bytes(100)).change(table);
    }
    assertThat(repeats(delta(at(A, 2), at(A, 1)))).isFalse();
    assertThat(InService.of(table).changes().segments()).hasSize(1);
    assertThat(InService.of(table).changes().count()).isEqualTo(Compactor.MAX_SEGMENTS);
    assertThat(InService.of(table).changes().streams().get("s").last()).isEqualTo(at(A, 2));
    assertThat(value()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void mergesManySegmentsAtOnce(boolean remote) throws IOException {
    String path = remote ? NoRenameFileSystem.path(directory) : directory.toString();
    try (DeltaCommitter committer = open(FaultyBuild.table(path), null)) {
      committer.commit(List.of(new TestRequest<>(delta(at(A, 1), null))));
      List<SegmentFile> files = new ArrayList<>();
      for (int i = 0; i < Changes.MAX_SEGMENTS / 4; i++) {
        files.addAll(delta((StreamRule) null, i).files());
      }
      Delta many = new Delta(new StreamRule("s", at(A, 2), at(A, 1)), files);
      committer.commit(List.of(new TestRequest<>(many)));
    }
    assertThat(InService.of(table).changes().segments()).hasSize(1);
    assertThat(value()).isEqualTo(Changes.MAX_SEGMENTS / 4 - 1);
  }

  @Test
  void oneOfSeveralCommittersTidiesUp() throws IOException {
    String path = NoRenameFileSystem.path(directory);
    List<SegmentFile> files = new ArrayList<>();
    for (int i = 0; i <= Compactor.MAX_SEGMENTS; i++) {
      files.addAll(delta((StreamRule) null, i).files());
    }
    open(FaultyBuild.table(path), null, true).close();
    try (DeltaCommitter other = open(FaultyBuild.table(path), null, false)) {
      other.commit(
          List.of(new TestRequest<>(new Delta(new StreamRule("s", at(A, 1), null), files))));
    }
    assertThat(InService.of(table).changes().segments()).hasSize(files.size());
    try (DeltaCommitter first = open(FaultyBuild.table(path), null, true)) {
      first.commit(List.of(new TestRequest<>(delta(at(A, 2), at(A, 1)))));
    }
    assertThat(InService.of(table).changes().segments()).hasSize(1);
  }

  /** So that a job goes on whose merges have failed until a version could have no more segments. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void mergesManySegmentsBeforeItCommits(boolean remote) throws IOException {
    String path = remote ? NoRenameFileSystem.path(directory) : directory.toString();
    open(FaultyBuild.table(path), null, true).close();
    List<SegmentFile> files = new ArrayList<>();
    for (int i = 0; i <= Changes.MAX_SEGMENTS / 4; i++) {
      files.addAll(delta((StreamRule) null, i).files());
    }
    try (DeltaCommitter other = open(FaultyBuild.table(path), null, false)) {
      other.commit(
          List.of(new TestRequest<>(new Delta(new StreamRule("s", at(A, 1), null), files))));
    }
    assertThat(InService.of(table).changes().segments()).hasSize(files.size());

    open(FaultyBuild.table(path), table.begin(), true).close();
    assertThat(InService.of(table).changes().segments())
        .as("a batch job")
        .hasSize(remote ? files.size() : 1);

    open(FaultyBuild.table(path), null, true).close();

    assertThat(InService.of(table).changes().segments()).hasSize(1);
    assertThat(InService.of(table).changes().streams().get("s").last()).isEqualTo(at(A, 1));
    assertThat(value()).isEqualTo(Changes.MAX_SEGMENTS / 4);
  }

  @Test
  void onlyTheFirstStreamPublishesWhereThereAreNoLocks() throws IOException {
    String path = NoRenameFileSystem.path(directory);
    try (DeltaCommitter committer = open(FaultyBuild.table(path), null)) {
      committer.commit(List.of(new TestRequest<>(delta(at(A, 1), null))));
    }
    String before = table.requireCurrentVersion();
    Build build = table.begin();
    Delta ofAnother = delta(new StreamRule("other", at(B, 1), null), 2);
    Delta ofABatch = delta((StreamRule) null, 3);
    for (Delta refused : List.of(ofAnother, ofABatch)) {
      try (DeltaCommitter committer = open(FaultyBuild.table(path), build)) {
        assertThatThrownBy(() -> committer.commit(List.of(new TestRequest<>(refused))))
            .isInstanceOf(SuppressRestartsException.class)
            .cause()
            .hasMessageContainingAll("this storage has no locks", "streams=[s]", "end_stream");
      }
    }
    assertThat(table.currentVersion()).isEqualTo(before);
    try (DeltaCommitter committer = open(FaultyBuild.table(path), null)) {
      committer.commit(List.of(new TestRequest<>(delta(at(A, 2), at(A, 1)))));
    }
    assertThat(value()).isEqualTo(2);
  }

  /** The advice of each refusal can be followed: what was refused is done once it is. */
  @Test
  void anotherStreamPublishesOnceTheFirstIsEndedWhereThereAreNoLocks() throws IOException {
    DeclaredTable declared = FaultyBuild.table(NoRenameFileSystem.path(directory));
    try (DeltaCommitter committer = open(declared, null)) {
      committer.commit(List.of(new TestRequest<>(delta(at(A, 1), null))));
      assertThatThrownBy(() -> committer.commit(List.of(new TestRequest<>(delta(at(B, 1), null)))))
          .cause()
          .hasMessageContaining("that one has stopped, end the stream by CALL sys.end_stream(")
          .hasMessageNotContaining("sink.stream");
      declared.table().endStream("s");
      assertThatThrownBy(
              () -> committer.commit(List.of(new TestRequest<>(delta(at(A, 2), at(A, 1))))))
          .cause()
          .hasMessageContaining("the table does not record the stream: it was ended");
    }
    try (DeltaCommitter committer = open(declared, null)) {
      committer.commit(
          List.of(new TestRequest<>(delta(new StreamRule("other", at(B, 1), null), 2))));
    }
    assertThat(InService.of(table).changes().streams()).containsOnlyKeys("other");
    assertThat(value()).isEqualTo(2);
  }

  @Test
  void namesTheTableInItsMetrics() throws Exception {
    try (DeltaCommitter committer = open(FaultyBuild.table(directory), null)) {
      long before = System.currentTimeMillis();
      committer.commit(List.of(new TestRequest<>(delta(at(A, 1), null))));

      assertThat(metrics)
          .containsOnlyKeys(
              "bsdb.table.t.deltas",
              "bsdb.table.t.mergedSegments",
              "bsdb.table.t.foldedPartitions",
              "bsdb.table.t.upkeepFailures",
              "bsdb.table.t.lastPublication",
              "bsdb.table.t.lagSeconds");
      assertThat(gauge("lastPublication")).isBetween(before, System.currentTimeMillis());
      assertThat(gauge("lagSeconds")).isNotNegative();
    }
  }

  @Test
  void onlyTheTaskThatPublishesShowsALag() throws Exception {
    open(FaultyBuild.table(directory), null, false).close();
    assertThat(metrics)
        .containsKey("bsdb.table.t.deltas")
        .doesNotContainKeys("bsdb.table.t.lastPublication", "bsdb.table.t.lagSeconds");
  }

  private long gauge(String name) {
    Gauge<?> gauge = (Gauge<?>) Objects.requireNonNull(metrics.get("bsdb.table.t." + name));
    return ((Number) gauge.getValue()).longValue();
  }

  /** Enough keys that folding them is worth it. */
  private Delta many(Checkpoint checkpoint, @Nullable Checkpoint previous) throws IOException {
    try (SegmentFiles files = new SegmentFiles(table.storage())) {
      for (long key = 0; key < MANY; key++) {
        files.put(bytes(key), bytes(checkpoint.number()));
      }
      return new Delta(new StreamRule("s", checkpoint, previous), files.finish());
    }
  }

  /** Waits until all partitions have been folded, or the test runs out of time. */
  private void awaitFolded() {
    Counter folded = (Counter) Objects.requireNonNull(metrics.get("bsdb.table.t.foldedPartitions"));
    Await.until(() -> folded.getCount() >= FaultyBuild.PARTITIONS);
  }

  private static Stream<Thread> folds() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("bsdb-fold"));
  }

  private List<Path> temporaryDirectories() throws IOException {
    Path parent = LocalDirectories.ofTable(NoRenameFileSystem.path(directory));
    try (Stream<Path> children = Files.list(Files.createDirectories(parent))) {
      return children.filter(path -> path.toString().contains("-fold-")).toList();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void foldsByItself(boolean remote) throws Exception {
    String path = remote ? NoRenameFileSystem.path(directory) : directory.toString();
    try (DeltaCommitter committer = open(FaultyBuild.table(path), null)) {
      committer.commit(List.of(new TestRequest<>(many(at(A, 1), null))));
      for (int n = 2; n < Compactor.MAX_SEGMENTS / 2; n++) {
        committer.commit(List.of(new TestRequest<>(delta(at(A, n), at(A, n - 1)))));
      }
      awaitFolded();
      Checkpoint last = InService.of(table).changes().streams().get("s").last();
      Checkpoint next = at(A, last.number() + 1);
      committer.commit(List.of(new TestRequest<>(delta(next, last))));
      assertThat(value()).isEqualTo(next.number());
    }
    assertThat(temporaryDirectories()).isEmpty();
    Changes changes = InService.of(table).changes();
    assertThat(changes.segments()).allMatch(segment -> segment.puts() == 1);
    assertThat(changes.history().segments().isEmpty()).isEqualTo(remote);
    assertThat(InService.of(table).recordCount()).isEqualTo(MANY);
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      assertThat(reader.get(bytes(MANY - 1))).isEqualTo(bytes(1));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void foldsNothingWhenThatIsOff(boolean remote) throws Exception {
    String path = remote ? NoRenameFileSystem.path(directory) : directory.toString();
    try (DeltaCommitter committer = open(FaultyBuild.table(path), null, true, false)) {
      committer.commit(List.of(new TestRequest<>(many(at(A, 1), null))));
      assertThat(folds()).isEmpty();
    }
    assertThat(InService.of(table).recordCount()).isZero();
  }

  /** Whoever is overtaken tries again, or is told to. */
  @Test
  void othersCompactBesideTheStream() throws Exception {
    try (DeltaCommitter committer = open(FaultyBuild.table(directory), null)) {
      committer.commit(List.of(new TestRequest<>(many(at(A, 1), null))));
      for (int n = 2; n < 20; n++) {
        committer.commit(List.of(new TestRequest<>(delta(at(A, n), at(A, n - 1)))));
        try {
          new Compactor(directory).foldFraction(0).run();
        } catch (PublishConflictException e) {
          assertThat(e).hasMessageContaining("run the compaction again");
        }
      }
      assertThat(value()).isEqualTo(19);
    }
    new Compactor(directory).foldFraction(0).run();
    assertThat(InService.of(table).recordCount()).isEqualTo(MANY);
    try (SnapshotReader reader = SnapshotReader.open(directory)) {
      for (long key = 0; key < MANY; key++) {
        assertThat(reader.get(bytes(key))).isEqualTo(bytes(key == 1 ? 19 : 1));
      }
    }
  }

  @Test
  void goesOnWhileAFoldFails() throws Exception {
    String path = NoRenameFileSystem.path(directory);
    buildEmpty();
    CountDownLatch tried = new CountDownLatch(1);
    NoRenameFileSystem.full(
        name -> {
          boolean folds = name.endsWith(".bsdb");
          if (folds) {
            tried.countDown();
          }
          return folds;
        });
    try (DeltaCommitter committer = open(FaultyBuild.table(path), null)) {
      committer.commit(List.of(new TestRequest<>(many(at(A, 1), null))));
      tried.await();
      committer.commit(List.of(new TestRequest<>(delta(at(A, 2), at(A, 1)))));
      assertThat(value()).isEqualTo(2);
      assertThat(InService.of(table).recordCount()).isZero();
      Await.until(() -> gauge("upkeepFailures") != 0);
      NoRenameFileSystem.full(name -> false);
      awaitFolded(); // by itself
      Await.until(() -> gauge("upkeepFailures") == 0);
    }
    assertThat(temporaryDirectories()).isEmpty();
    assertThat(value()).isEqualTo(2);
  }

  @Test
  void publishesNothingOnceItIsClosed() throws Exception {
    buildEmpty();
    CountDownLatch folding = new CountDownLatch(1);
    NoRenameFileSystem.full(
        name -> {
          if (name.endsWith(".bsdb")) {
            folding.countDown();
            try {
              new CountDownLatch(1).await();
            } catch (InterruptedException closed) {
              // Goes on as if nobody had asked it to stop.
            }
          }
          return false;
        });
    Thread fold;
    try (DeltaCommitter committer =
        open(FaultyBuild.table(NoRenameFileSystem.path(directory)), null)) {
      committer.commit(List.of(new TestRequest<>(many(at(A, 1), null))));
      folding.await();
      fold = folds().findAny().orElseThrow();
    }
    assertThat(fold.isAlive()).isFalse();
    assertThat(InService.of(table).recordCount()).isZero();
    assertThat(temporaryDirectories()).isEmpty();
    assertThat(value()).isEqualTo(1);
  }

  @Test
  void waitsForAFoldThatIsReplacingCurrent() throws Exception {
    buildEmpty();
    AtomicInteger replaced = new AtomicInteger();
    CountDownLatch replacing = new CountDownLatch(1);
    CountDownLatch closing = new CountDownLatch(1);
    NoRenameFileSystem.writing(
        name -> {
          if (name.equals("CURRENT") && replaced.incrementAndGet() == 2) { // after the delta
            replacing.countDown();
            try {
              closing.await();
            } catch (InterruptedException closed) {
              throw new InterruptedIOException("interrupted while writing");
            }
          }
        });
    DeltaCommitter committer = open(FaultyBuild.table(NoRenameFileSystem.path(directory)), null);
    committer.commit(List.of(new TestRequest<>(many(at(A, 1), null))));
    replacing.await();
    Thread closer = new Thread(committer::close, "closer");
    closer.start();
    Await.until(() -> closer.getState() == Thread.State.WAITING);
    closing.countDown();
    closer.join();
    assertThat(InService.of(table).recordCount()).as("what was folded is in service").isPositive();
    assertThat(value()).isEqualTo(1);
  }

  private void buildEmpty() throws IOException {
    open(FaultyBuild.table(directory), null).close();
  }

  @Test
  void refusesATableWithOtherColumns() throws IOException {
    repeats(delta(at(A, 1), null));
    DeclaredTable other =
        new DeclaredTable(
            "t",
            directory.toString(),
            RowType.of(
                new LogicalType[] {new BigIntType(false), new BigIntType(true)},
                new String[] {"id", "value"}),
            List.of("id"));
    assertThatThrownBy(() -> open(other, null))
        .isInstanceOf(SuppressRestartsException.class)
        .cause()
        .hasMessageContaining("table t cannot be changed, because it was built with other columns");
  }

  @Test
  void refusesAnApproximateTable() throws IOException {
    try (SnapshotWriter writer =
        SnapshotWriter.create(directory, WriterOptions.builder().set("keys", "omitted").build())) {
      writer.add(bytes(1), bytes(1));
      writer.publish();
    }
    assertThatThrownBy(() -> repeats(delta(at(A, 1), null)))
        .isInstanceOf(SuppressRestartsException.class)
        .cause()
        .hasMessageContaining("an approximate table cannot be changed");
  }
}
