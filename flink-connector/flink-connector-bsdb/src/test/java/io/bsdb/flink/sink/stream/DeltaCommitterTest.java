package io.bsdb.flink.sink.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.compact.Compactor;
import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.TestRequest;
import io.bsdb.flink.sink.build.FaultyBuild;
import io.bsdb.flink.storage.NoRenameFileSystem;
import io.bsdb.table.Build;
import io.bsdb.table.StreamRule;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.InService;
import io.bsdb.testkit.Records;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class DeltaCommitterTest extends CommitterFixture {
  private static final UUID C = new UUID(0, 0xC);

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
        "Let only one of them run. If only this one does, start it from a checkpoint or savepoint that the other one made");
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
        .hasMessageContaining("/2 of stream 's' is gone")
        .hasMessageContaining("file=" + directory.resolve(delta.files().get(0).path()))
        .hasMessageContaining("Start the job from an older checkpoint or savepoint")
        .hasCauseInstanceOf(NoSuchFileException.class);
    assertThat(repeats(delta(at(B, 2), at(A, 1)))).isFalse();
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
  void refusesATableInAnotherOrder() throws IOException {
    repeats(delta(at(A, 1), null));
    DeclaredTable built = FaultyBuild.table(directory);
    DeclaredTable other =
        new DeclaredTable(
            "t",
            built.path(),
            built.rowType(),
            built.primaryKey(),
            Set.of(),
            Set.of(),
            RecordOrder.KEY);
    assertThatThrownBy(() -> open(other, null))
        .isInstanceOf(SuppressRestartsException.class)
        .cause()
        .hasMessageContaining("table t cannot be changed: it was built in hash order")
        .hasMessageContaining("declare it without 'sink.order' = 'key'");
  }

  @Test
  void refusesAnApproximateTable() throws IOException {
    Records.empty()
        .add(bytes(1), bytes(1))
        .publish(directory, WriterOptions.builder().set("keys", "omitted").build());
    assertThatThrownBy(() -> repeats(delta(at(A, 1), null)))
        .isInstanceOf(SuppressRestartsException.class)
        .cause()
        .hasMessageContaining("an approximate table cannot be changed");
  }
}
