package io.bsdb.flink.sink.reload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.row.DeclaredTable;
import io.bsdb.flink.sink.BuildSettings;
import io.bsdb.flink.sink.MeteredGroup;
import io.bsdb.flink.sink.TestRequest;
import io.bsdb.flink.sink.build.FaultyBuild;
import io.bsdb.reload.ReloadReport.Difference;
import io.bsdb.table.Build;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.SegmentFile;
import io.bsdb.testkit.InService;
import io.bsdb.writer.SegmentFiles;
import io.bsdb.writer.SnapshotPublisher;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReloadCommitterTest {
  @TempDir private Path directory;
  private final Map<String, Metric> metrics = new HashMap<>();
  private DeclaredTable declared = FaultyBuild.table("unset");
  private Table table = declared.table();

  @BeforeEach
  void publishAnEmptyVersion() throws IOException {
    declared = FaultyBuild.table(directory.toString());
    table = declared.table();
    var unused =
        SnapshotPublisher.publishEmpty(
            table, FaultyBuild.PARTITIONS, FaultyBuild.settings().writerOptions(declared));
  }

  /** Two rows, which are new. */
  private Reload twoRows() throws IOException {
    try (SegmentFiles files = new SegmentFiles(table.storage())) {
      for (long id = 1; id <= 2; id++) {
        byte[] key = ByteBuffer.allocate(Long.BYTES).putLong(id).array();
        files.put(key, new byte[Long.BYTES + 1]);
      }
      return Reload.ofChanges(
          3, new Difference(InService.of(table).version(), 0, 2, 0, 0, 34), files.finish());
    }
  }

  /** Commits as a committer does that was started for it, and says whether it was a repetition. */
  private boolean repeats(Reload reload, Build build, BuildSettings settings) throws IOException {
    TestRequest<Reload> request = new TestRequest<>(reload);
    try (ReloadCommitter committer =
        new ReloadCommitter(
            declared,
            settings,
            build,
            ComparedVersion.of(
                table.manifest(Objects.requireNonNull(reload.difference()).version())),
            new MeteredGroup("", metrics))) {
      committer.commit(List.of(request));
    }
    return request.repeated().get() == 1;
  }

  private boolean repeats(Reload reload, Build build) throws IOException {
    return repeats(reload, build, FaultyBuild.settings());
  }

  private List<String> segments() throws IOException {
    return InService.of(table).changes().segments().stream().map(SegmentFile::name).toList();
  }

  @Test
  void showsWhatDiffered() throws Exception {
    repeats(twoRows(), table.begin());

    assertThat(
            metrics.entrySet().stream()
                .collect(
                    Collectors.toMap(
                        Map.Entry::getKey, metric -> ((Counter) metric.getValue()).getCount())))
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "bsdb.table.t.rowsRead", 3L,
                "bsdb.table.t.rowsSame", 0L,
                "bsdb.table.t.rowsNew", 2L,
                "bsdb.table.t.rowsChanged", 0L,
                "bsdb.table.t.rowsDeleted", 0L,
                "bsdb.table.t.bytesChanged", 34L));
  }

  /** A job that fails after the publication may run its writers again. */
  @Test
  void publishesOnceThoughWritersRanAgain() throws Exception {
    Build build = table.begin();
    Reload first = twoRows();
    Reload again = twoRows();

    assertThat(repeats(first, build)).isFalse();
    String version = table.requireCurrentVersion();
    assertThat(repeats(first, build)).isTrue();
    assertThat(repeats(again, build)).isTrue();

    assertThat(table.requireCurrentVersion()).isEqualTo(version);
    assertThat(InService.of(table).changes().count()).isEqualTo(2);
    assertThat(table.storage().list("data")).isEqualTo(segments()).hasSize(1);
  }

  @Test
  void leavesNothingOfWhatIsRefused() throws Exception {
    Build build = table.begin();
    Reload reload = twoRows();
    Reload faster = twoRows();
    repeats(faster, table.begin());
    String inService = table.requireCurrentVersion();

    assertThatThrownBy(() -> repeats(reload, build))
        .isInstanceOf(SuppressRestartsException.class)
        .hasStackTraceContaining("the table was changed meanwhile: table=" + directory);
    assertThatThrownBy(() -> repeats(twoRows(), table.begin(), FaultyBuild.settings(3)))
        .isInstanceOf(SuppressRestartsException.class)
        .hasStackTraceContaining("expected>=3 actual=2");

    assertThat(table.requireCurrentVersion()).isEqualTo(inService);
    assertThat(table.storage().list("data")).isEqualTo(segments());
  }

  /** Rows of writers that built them all would be missing among the changes of others. */
  @Test
  void refusesSharesOfBothKinds() throws Exception {
    Reload changes = twoRows();
    Reload base = Reload.ofBase(2, List.of());

    assertThat(Reload.sum(List.of(base, base)).read()).isEqualTo(4);
    assertThatThrownBy(() -> Reload.sum(List.of(changes, base)))
        .isInstanceOf(SuppressRestartsException.class)
        .hasStackTraceContaining("some writers built all rows and others what differs");
  }

  @Test
  void carriesWhatWritersWrote() throws Exception {
    Reload.Serializer serializer = new Reload.Serializer();
    for (Reload reload : List.of(twoRows(), Reload.ofBase(7, InService.of(table).partitions()))) {
      assertThat(serializer.deserialize(serializer.getVersion(), serializer.serialize(reload)))
          .isEqualTo(reload);
    }
  }
}
