package io.bsdb.flink.sink.reload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.sink.build.FaultyBuild;
import io.bsdb.flink.sink.build.FaultySink;
import io.bsdb.flink.sink.build.FaultySink.Fault;
import io.bsdb.reload.Publish;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.RecordOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Faults of builds of which only what differs is published, or all rows as too much does. */
@Timeout(120)
class ReloadFaultsTest {
  @RegisterExtension
  static final MiniClusterExtension CLUSTER = new MiniClusterExtension(FaultyBuild.cluster());

  @TempDir private Path directory;

  private FaultyBuild build(RecordOrder order, Publish publish) throws Exception {
    return new FaultyBuild(directory, order, publish);
  }

  private static void assertPublishedOnce(FaultyBuild build, Publish publish) throws Exception {
    if (publish == Publish.CHANGES) {
      build.assertChangesPublishedOnce();
    } else {
      build.assertPublishedOnce();
    }
  }

  /** Segments that no version names go when they are old. */
  private void assertNoSegmentStays() throws Exception {
    Table table = Table.at(directory);
    for (String segment : table.storage().list("data")) {
      Files.setLastModifiedTime(
          directory.resolve("data").resolve(segment), FileTime.from(Instant.EPOCH));
    }
    table.sweep(Duration.ofDays(1));
    assertThat(table.storage().list("data"))
        .hasSize(table.manifest(table.requireCurrentVersion()).changes().segments().size());
  }

  @ParameterizedTest
  @CsvSource({
    "HASH, CHANGES, WRITER_FAILS_ONCE_WHILE_WRITING",
    "HASH, CHANGES, WRITER_FAILS_ONCE_AFTER_BUILDING",
    "HASH, CHANGES, COMMIT_FAILS_ONCE_BEFORE_PUBLISHING",
    "HASH, CHANGES, COMMIT_FAILS_TWICE_AFTER_PUBLISHING",
    "KEY, CHANGES, WRITER_FAILS_ONCE_AFTER_BUILDING",
    "HASH, AUTO, WRITER_FAILS_ONCE_AFTER_BUILDING",
    "HASH, AUTO, COMMIT_FAILS_ONCE_BEFORE_PUBLISHING",
    "HASH, AUTO, COMMIT_FAILS_TWICE_AFTER_PUBLISHING",
    "KEY, AUTO, WRITER_FAILS_ONCE_AFTER_BUILDING",
    "KEY, AUTO, COMMIT_FAILS_TWICE_AFTER_PUBLISHING"
  })
  void publishesOnceAfter(RecordOrder order, Publish publish, Fault fault) throws Exception {
    FaultyBuild build = build(order, publish);

    build.run(fault, FaultyBuild.ROWS);

    assertThat(FaultySink.running.faults).hasPositiveValue();
    assertPublishedOnce(build, publish);
    assertNoSegmentStays();
  }

  @ParameterizedTest
  @EnumSource(names = {"CHANGES", "AUTO"})
  void keepsThePreviousVersionWhenItFails(Publish publish) throws Exception {
    FaultyBuild build = build(RecordOrder.HASH, publish);
    for (Fault fault :
        new Fault[] {Fault.WRITER_ALWAYS_FAILS, Fault.COMMIT_ALWAYS_FAILS_BEFORE_PUBLISHING}) {
      assertThatThrownBy(() -> build.run(fault, FaultyBuild.ROWS))
          .as(fault.name())
          .hasStackTraceContaining("injected");

      build.assertPreviousStays();
    }
    assertNoSegmentStays();
  }

  @ParameterizedTest
  @EnumSource(names = {"CHANGES", "AUTO"})
  void isRefusedIfAnotherPublishedFirst(Publish publish) throws Exception {
    FaultyBuild build = build(RecordOrder.HASH, publish);
    build.assertRefusedAfterAnother(
        publish == Publish.CHANGES
            ? "read the source again and compare it with that version"
            : "another build published first");
    assertNoSegmentStays();
  }

  @Test
  void publishesOnceWhenTheTaskManagersAreLost(@InjectMiniCluster MiniCluster cluster)
      throws Exception {
    FaultyBuild build = build(RecordOrder.HASH, Publish.AUTO);
    build.runWhileTaskManagersAreLost(cluster);
  }
}
