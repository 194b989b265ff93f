package io.bsdb.flink.sink.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.TestRequest;
import io.bsdb.table.Build;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.PartitionFile;
import io.bsdb.writer.SnapshotPublisher;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotCommitterTest {
  @TempDir Path directory;
  private Table table;

  @BeforeEach
  void begin() {
    table = Table.at(directory);
  }

  /**
   * Commits as a committer does that was started for it, and says whether that was a repetition.
   */
  private boolean repeats(Build build) throws Exception {
    return repeats(build, FaultyBuild.settings());
  }

  private boolean repeats(Build build, BuildSettings settings) throws Exception {
    TestRequest<Publication> request = new TestRequest<>(new Publication(List.of()));
    try (SnapshotCommitter committer =
        new SnapshotCommitter(FaultyBuild.table(directory), settings, build)) {
      committer.commit(List.of(request));
    }
    return request.repeated().get() == 1;
  }

  @Test
  void tellsFlinkThatARepeatedPublicationIsNone() throws Exception {
    Build build = table.begin();

    assertThat(repeats(build)).isFalse();
    assertThat(table.requireCurrentVersion()).isEqualTo(build.version());
    assertThat(repeats(build)).isTrue();
    assertThat(table.versions()).containsExactly(build.version());
  }

  /** A job that fails after the publication may run its writers again. */
  @Test
  void deletesTheFilesOfWritersThatRanAgain() throws Exception {
    Build build = table.begin();
    repeats(build);
    List<String> named = table.storage().list(build.directory());
    table.storage().replace(build.directory() + "/part-00000-again.bsdb", new byte[1]);

    assertThat(repeats(build)).isTrue();
    assertThat(table.storage().list(build.directory())).isEqualTo(named);
    assertThat(named).hasSizeGreaterThan(1);
  }

  @Test
  void repeatsNothingThatALaterBuildHasReplaced() throws Exception {
    Build build = table.begin();
    repeats(build);
    Build later = table.begin();
    repeats(later);

    assertThat(repeats(build)).isTrue();
    assertThat(table.requireCurrentVersion()).isEqualTo(later.version());
    assertThat(table.versions()).containsExactly(build.version(), later.version());
  }

  @Test
  void aBuildIsInServiceWhateverFailsAfterwards() throws Exception {
    Build build = table.begin();

    assertThat(repeats(build, FaultyBuild.settings(ChronoUnit.FOREVER.getDuration()))).isFalse();
    assertThat(table.requireCurrentVersion()).isEqualTo(build.version());
  }

  @Test
  void aConflictIsNotTriedAgainAndLeavesNothing() throws Exception {
    Build build = table.begin();
    table.storage().replace(build.directory() + "/part-00000-x.bsdb", new byte[1]);
    Build faster = table.begin();
    repeats(faster);

    assertThatThrownBy(() -> repeats(build))
        .isInstanceOf(SuppressRestartsException.class)
        .hasStackTraceContaining("another build published first");
    assertThat(table.requireCurrentVersion()).isEqualTo(faster.version());
    assertThat(table.storage().list("snapshots")).containsExactly(faster.version());
  }

  @Test
  void aBuildWhoseFilesAreGoneIsNotTriedAgain() throws Exception {
    BuildSettings settings = FaultyBuild.settings();
    DeclaredTable declared = FaultyBuild.table(directory);
    Build build = table.begin();
    PartitionFile file =
        SnapshotPublisher.buildEmpty(table, build, 0, settings.writerOptions(declared));
    String path = build.directory() + "/" + file.name();
    table.storage().delete(path);
    Publication swept = new Publication(List.of(new BuiltFile(file, 0)));

    try (SnapshotCommitter committer = new SnapshotCommitter(declared, settings, build)) {
      assertThatThrownBy(() -> committer.commit(List.of(new TestRequest<>(swept))))
          .isInstanceOf(SuppressRestartsException.class)
          .cause()
          .isInstanceOf(NoSuchFileException.class)
          .hasMessageContaining(path);
    }
    assertThat(table.currentVersion()).isNull();
  }

  @Test
  void doesNotHaveAnEmptyTableTriedAgain() throws Exception {
    Build before = table.begin();
    repeats(before);
    Build build = table.begin();

    assertThatThrownBy(() -> repeats(build, FaultyBuild.settings(1)))
        .isInstanceOf(SuppressRestartsException.class)
        .hasStackTraceContaining(
            "table t: too few rows, so nothing was published: table=%s expected>=1 actual=0; if that is right, lower 'sink.min-rows', to 0 for an empty table"
                .formatted(directory));
    assertThat(table.storage().list("snapshots")).containsExactly(before.version());
  }
}
