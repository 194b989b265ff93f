package io.bsdb.flink.sink.build;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class PublicationOperatorTest {
  /** Even a build without rows has writers, which promise no files. */
  @Test
  void publishesNothingWithoutWriters() {
    assertThatThrownBy(() -> new PublicationOperator<>(Publication::new).endInput())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("writers are missing at the end of a build: writers=0 ended=0");
  }
}
