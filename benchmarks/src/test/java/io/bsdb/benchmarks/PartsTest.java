package io.bsdb.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.benchmarks.harness.Results;
import io.bsdb.benchmarks.harness.Results.Section;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole small runs, whose answers they check themselves. How fast anything is does not matter. */
class PartsTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "reload --records 1000",
        "order --records 3000 --data names --only bsdb-order,rocksdb-ingest,lmdb",
        "order --records 3000 --data history --only history",
        "changes refresh --records 3000 --only changed-16",
        "opening --records 20000",
        "killed --scale 0.002",
        "writes --scale 0.002 --settle 0.1 --only rocksdb-blob",
        "ycsb --scale 0.002 --only rocksdb"
      })
  void measuresAll(String parts) throws Exception {
    measures(parts, directory);
  }

  /** Runs parts in a directory, and checks that each has figures. */
  static void measures(String parts, Path directory) throws Exception {
    String line = parts + " --quick --rounds 1 --directory " + directory;

    assertThat(new Bench().run(line.split(" ", -1))).isZero();

    List<Section> sections =
        new ObjectMapper()
            .readValue(directory.resolve("results.json").toFile(), Results.class)
            .sections();
    assertThat(sections).isNotEmpty();
    for (Section section : sections) {
      assertThat(section.rows()).isNotEmpty();
      assertThat(section.rows())
          .allSatisfy(
              row -> {
                assertThat(row.measures()).as(row.name()).isNotEmpty();
                assertThat(row.measures().keySet())
                    .allMatch(measure -> Double.isFinite(row.median(measure)));
              });
    }
  }
}
