package io.bsdb.flink.sink.build;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.flink.sink.build.FaultySink.Fault;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.configuration.BatchExecutionOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.SlowTaskDetectorOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class SpeculativeBuildTest {
  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(2)
              .setNumberSlotsPerTaskManager(3)
              .setConfiguration(speculative())
              .build());

  /** A task counts as slow as soon as the other one has ended. */
  private static Configuration speculative() {
    Configuration configuration = new Configuration();
    configuration.set(BatchExecutionOptions.SPECULATIVE_ENABLED, true);
    configuration.set(BatchExecutionOptions.BLOCK_SLOW_NODE_DURATION, Duration.ZERO);
    configuration.set(SlowTaskDetectorOptions.CHECK_INTERVAL, Duration.ofMillis(20));
    configuration.set(SlowTaskDetectorOptions.EXECUTION_TIME_BASELINE_LOWER_BOUND, Duration.ZERO);
    configuration.set(SlowTaskDetectorOptions.EXECUTION_TIME_BASELINE_MULTIPLIER, 1.0);
    configuration.set(SlowTaskDetectorOptions.EXECUTION_TIME_BASELINE_RATIO, 0.5);
    return configuration;
  }

  @Test
  @Timeout(120)
  void publishesOnceWhenAWriterRunsTwiceAtATime(@TempDir Path directory) throws Exception {
    FaultyBuild build = new FaultyBuild(directory);

    build.run(Fault.WRITER_HANGS_ONCE, FaultyBuild.ROWS);

    assertThat(FaultySink.running.writers).hasValueGreaterThan(2);
    build.assertPublishedOnce();
  }
}
