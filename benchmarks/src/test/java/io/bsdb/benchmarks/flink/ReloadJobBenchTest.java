package io.bsdb.benchmarks.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How fast anything is does not matter. */
class ReloadJobBenchTest {
  @TempDir private Path directory;

  /** The benchmark checks what was published. */
  @Test
  void reloadsInBothOrders() throws Exception {
    List<Section> sections = ReloadJobBench.run(directory, 1_000, 1);

    assertThat(sections)
        .extracting(Section::title)
        .containsExactly(
            "Reloads by jobs, 1,000 rows, hash order", "Reloads by jobs, 1,000 rows, key order");
    for (Section section : sections) {
      assertThat(section.rows())
          .extracting(Row::name)
          .containsExactly("build", "few", "all", "dropped");
      assertThat(section.rows())
          .allSatisfy(
              row -> assertThat(row.measures()).containsOnlyKeys("processor, s", "times a build"));
    }
    assertThat(directory).isEmptyDirectory();
  }
}
