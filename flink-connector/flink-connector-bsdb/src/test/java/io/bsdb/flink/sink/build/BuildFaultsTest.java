package io.bsdb.flink.sink.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.flink.sink.build.FaultySink.Fault;
import java.nio.file.Path;
import org.apache.flink.core.execution.JobClient;
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
import org.junit.jupiter.params.provider.EnumSource.Mode;

@Timeout(120)
class BuildFaultsTest {
  @RegisterExtension
  static final MiniClusterExtension CLUSTER = new MiniClusterExtension(FaultyBuild.cluster());

  private FaultyBuild build;

  @BeforeEach
  void publishOneVersion(@TempDir Path directory) throws Exception {
    build = new FaultyBuild(directory);
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {".*_ONCE_(WHILE|AFTER|BEFORE)_.*", ".*_TWICE_.*"},
      mode = Mode.MATCH_ANY)
  void publishesOnceAfter(Fault fault) throws Exception {
    build.run(fault, FaultyBuild.ROWS);

    assertThat(FaultySink.running.faults).hasPositiveValue();
    build.assertPublishedOnce();
  }

  @Test
  void runsOnlyTheFailedWriterAgain() throws Exception {
    build.run(Fault.WRITER_FAILS_ONCE_AFTER_BUILDING, FaultyBuild.ROWS);

    assertThat(FaultySink.running.writers).hasValue(3);
    build.assertPublishedOnce();
  }

  @Test
  void doesNotRunWritersAgainWhenPublishingFails() throws Exception {
    build.run(Fault.COMMIT_FAILS_TWICE_AFTER_PUBLISHING, FaultyBuild.ROWS);

    assertThat(FaultySink.running.writers).hasValue(2);
    assertThat(FaultySink.running.commits).hasValue(3);
    build.assertPublishedOnce();
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {".*_ALWAYS_.*"},
      mode = Mode.MATCH_ANY)
  void keepsThePreviousVersionWhenTheBuildFails(Fault fault) throws Exception {
    assertThatThrownBy(() -> build.run(fault, FaultyBuild.ROWS))
        .hasStackTraceContaining("injected");

    build.assertPreviousStays();
  }

  @Test
  void keepsThePreviousVersionWhenTheJobIsCancelled() throws Exception {
    JobClient job = build.start(Fault.WRITER_HANGS_ONCE, FaultyBuild.ROWS);
    FaultySink.running.hanging.await();
    job.cancel().get();
    assertThatThrownBy(() -> job.getJobExecutionResult().get())
        .hasStackTraceContaining("Job was cancelled");

    build.assertPreviousStays();
  }

  @Test
  void refusesToReplaceAVersionPublishedMeanwhile() throws Exception {
    build.assertRefusedAfterAnother("another build published first");
  }

  @Test
  void publishesOnceWhenATaskManagerIsLost(@InjectMiniCluster MiniCluster cluster)
      throws Exception {
    build.runWhileTaskManagersAreLost(cluster);
  }
}
