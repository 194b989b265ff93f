package io.bsdb.benchmarks.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Workload;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How fast anything is does not matter. */
class LookupBenchTest {
  /** That the record with key 7 has. */
  private static final String NAME = WorkloadFunctions.value(Workload.id(7));

  @TempDir private Path directory;

  @Test
  void joinsChecksAndReports() throws Exception {
    Path answer = directory.resolve("answer.json");

    LookupBench.main(
        new String[] {
          directory.toString(),
          "1000",
          "2000",
          "100",
          "1",
          "constant,hashmap,bsdb,disk",
          "" + answer
        });

    List<Section> both = new ObjectMapper().readValue(answer.toFile(), new TypeReference<>() {});
    assertThat(both)
        .extracting(Section::title)
        .containsExactly(
            "Lookup join in Flink: 1,000 records, 2,000 events",
            "Lookup join in Flink past the page cache: 1,000 records, 100 events");
    assertThat(both.get(0).rows())
        .extracting(Row::name)
        .containsExactly("a constant row", "HashMap on the heap", "bsdb, synchronous");
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
    assertThatThrownBy(() -> insert(2, "(7, 21, NAME), (7, 22, NAME)"))
        .hasStackTraceContaining("wrong answer")
        .hasStackTraceContaining("22");
    assertThatThrownBy(() -> insert(1, "(7, CAST(NULL AS BIGINT), NAME)"))
        .hasStackTraceContaining("wrong answer");
    assertThatThrownBy(() -> insert(1, "(7, 21, 'x')")).hasStackTraceContaining("wrong answer");
    assertThatThrownBy(() -> insert(1, "(7, 21, CAST(NULL AS STRING))"))
        .hasStackTraceContaining("wrong answer");
  }

  @Test
  void failsAtAWrongNumberOfRows() throws Exception {
    insert(1, "(7, 21, NAME)");
    assertThatThrownBy(() -> insert(2, "(7, 21, NAME)"))
        .hasStackTraceContaining("rows: expected=2 actual=1");
  }

  /** Inserts rows, in which NAME stands for the right one. */
  private static void insert(int expected, String rows) throws Exception {
    TableEnvironment tables =
        TableEnvironment.create(
            EnvironmentSettings.newInstance()
                .withConfiguration(new Configuration().set(CoreOptions.DEFAULT_PARALLELISM, 1))
                .build());
    tables.executeSql(
        "CREATE TABLE target (k BIGINT, a BIGINT, name STRING) WITH ('connector' = 'bench-check', 'checked' = 'true', 'rows' = '%d')"
            .formatted(expected));
    tables
        .executeSql("INSERT INTO target VALUES " + rows.replace("NAME", "'" + NAME + "'"))
        .await();
  }
}
