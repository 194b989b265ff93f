package io.bsdb.flink.sink.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.sink.build.FaultySink.Fault;
import io.bsdb.flink.sink.change.Change;
import io.bsdb.table.manifest.RecordOrder;
import java.nio.file.Path;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Faults of builds in key order, after the ranges of keys were chosen. */
@Timeout(120)
class OrderedBuildFaultsTest {
  @RegisterExtension
  static final MiniClusterExtension CLUSTER = new MiniClusterExtension(FaultyBuild.cluster());

  private FaultyBuild build;

  @BeforeEach
  void publishOneVersion(@TempDir Path directory) throws Exception {
    build = new FaultyBuild(directory, RecordOrder.KEY);
  }

  @ParameterizedTest
  @EnumSource(names = {"WRITER_FAILS_ONCE_WHILE_WRITING", "WRITER_FAILS_ONCE_AFTER_BUILDING"})
  void runsOnlyTheFailedWriterAgain(Fault fault) throws Exception {
    build.run(fault, FaultyBuild.ROWS);

    assertThat(FaultySink.running.faults).hasPositiveValue();
    assertThat(FaultySink.running.writers).hasValue(3);
    build.assertPublishedOnce();
  }

  /** The keys are sampled again, and ranges chosen again. */
  @Test
  void publishesOnceWhenTheTaskManagersAreLost(@InjectMiniCluster MiniCluster cluster)
      throws Exception {
    build.runWhileTaskManagersAreLost(cluster);
  }

  @Test
  void refusesFilesThatWereDividedInDifferentWays() throws Exception {
    assertThatThrownBy(() -> build.run(Fault.WRITER_HAS_OTHER_RANGES, FaultyBuild.ROWS))
        .hasStackTraceContaining(
            "the key ranges of this build were chosen twice, and differently, so nothing is published: checksums of their bounds expected=")
        .hasStackTraceContaining("run the job again");

    assertThat(FaultySink.running.commits).hasValue(1);
    build.assertPreviousStays();
    build.assertNothingIsLeftOfOthers();
  }

  @Test
  void aWriterRefusesRecordsThatWereDividedInDifferentWays() {
    FirstKeys ranges = new FirstKeys();
    ranges.add(new byte[] {2}, new Change.Range(4, 17));
    ranges.add(new byte[] {1}, new Change.Range(4, 17));
    ranges.add(new byte[] {0}, new Change.Range(3, 17));

    assertThat(ranges.firstKeys()).containsOnlyKeys(3, 4).containsEntry(4, new byte[] {1});
    assertThatThrownBy(() -> ranges.add(new byte[] {3}, new Change.Range(4, 18)))
        .isInstanceOf(SuppressRestartsException.class)
        .hasStackTraceContaining("expected=00000011 actual=00000012");
  }
}
