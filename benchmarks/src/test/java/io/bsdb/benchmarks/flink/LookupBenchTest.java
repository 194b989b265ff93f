package io.bsdb.benchmarks.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Workload;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.table.data.StringData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How fast anything is does not matter. */
class LookupBenchTest {
  @TempDir private Path directory;

  @Test
  void joinsChecksAndReports() throws Exception {
    List<String> words = List.of("constant", "hashmap", "bsdb", "disk");
    List<Section> both = new LookupBench(directory, 1000, 2000, 100, 1, words).call();

    assertThat(both)
        .extracting(Section::title)
        .containsExactly(
            "Lookup join in Flink: 1,000 records, 2,000 events",
            "Lookup join in Flink past the page cache: 1,000 records, 100 events");
    assertThat(both.get(0).rows())
        .extracting(Row::name)
        .containsExactly("bsdb, synchronous", "a constant row", "HashMap on the heap");
    assertThat(both.get(0).rows())
        .allSatisfy(
            row -> assertThat(row.measures()).containsOnlyKeys("µs per event", "µs over constant"));
    assertThat(both.get(0).compared()).containsExactly("µs per event");
    assertThat(both.get(1).rows())
        .extracting(Row::name)
        .containsExactly("the reader alone, io_uring", "bsdb, asynchronous, io_uring");
  }

  @Test
  void failsAtAWrongAnswer() {
    WorkloadFunctions.Check check = new WorkloadFunctions.Check();
    StringData name = StringData.fromString(WorkloadFunctions.value(Workload.id(7)));
    assertThat(check.eval(true, 7, 21L, name)).isTrue();
    assertThat(check.eval(false, 7, 22L, name)).isFalse();
    assertThatThrownBy(() -> check.eval(true, 7, 22L, name)).hasMessageStartingWith("wrong answer");
    assertThatThrownBy(() -> check.eval(true, 7, null, name)).hasMessageContaining("wrong answer");
    assertThatThrownBy(() -> check.eval(true, 7, 21L, null)).hasMessageContaining("wrong answer");
    StringData other = StringData.fromString("x");
    assertThatThrownBy(() -> new WorkloadFunctions.Check().eval(true, 7, 21L, other))
        .hasMessageContaining("wrong answer");
    assertThat(WorkloadFunctions.Check.countAndReset()).isEqualTo(6);
  }
}
