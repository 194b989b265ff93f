package io.bsdb.benchmarks.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.benchmarks.harness.Workload;
import org.apache.flink.table.data.StringData;
import org.junit.jupiter.api.Test;

class FunctionsTest {
  @Test
  void failsAtAWrongAnswer() {
    Functions.Check check = new Functions.Check();
    StringData name = StringData.fromString(Functions.Check.text(Workload.id(7)));
    assertThat(check.eval(true, 7, 21L, name)).isTrue();
    assertThat(check.eval(false, 7, 22L, name)).isFalse();
    assertThatThrownBy(() -> check.eval(true, 7, 22L, name)).hasMessageStartingWith("wrong answer");
    assertThatThrownBy(() -> check.eval(true, 7, null, name)).hasMessageContaining("wrong answer");
    assertThatThrownBy(() -> check.eval(true, 7, 21L, null)).hasMessageContaining("wrong answer");
    StringData other = StringData.fromString("x");
    assertThatThrownBy(() -> new Functions.Check().eval(true, 7, 21L, other))
        .hasMessageContaining("wrong answer");
    Functions.requireCounted(6, "tests");
  }
}
