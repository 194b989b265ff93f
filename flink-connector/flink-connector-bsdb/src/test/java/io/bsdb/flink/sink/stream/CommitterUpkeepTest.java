package io.bsdb.flink.sink.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.compact.Compactor;
import io.bsdb.flink.sink.TestRequest;
import io.bsdb.flink.sink.build.FaultyBuild;
import io.bsdb.flink.storage.NoRenameFileSystem;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.PublishConflictException;
import io.bsdb.table.StreamRule;
import io.bsdb.table.manifest.Changes;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.table.manifest.StreamProgress.Checkpoint;
import io.bsdb.testkit.Await;
import io.bsdb.testkit.InService;
import io.bsdb.testkit.Records;
import io.bsdb.writer.SegmentFiles;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.flink.metrics.Counter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Merging and folding beside commits. */
@Timeout(120)
class CommitterUpkeepTest extends CommitterFixture {
  private static final int MANY = 60_000;

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

  /** Of two writers, the later one tries again, or fails with a message that advises to. */
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
}
