package io.bsdb.flink;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.runtime.util.EnvironmentInformation;
import org.junit.jupiter.api.Test;

class FlinkVersionTest {
  /** That the profile which is to test with another release does. */
  @Test
  void testsRunOnTheReleaseThatWasAskedFor() {
    assertThat(EnvironmentInformation.getVersion())
        .isEqualTo(System.getProperty("flink.expected.version"));
  }
}
