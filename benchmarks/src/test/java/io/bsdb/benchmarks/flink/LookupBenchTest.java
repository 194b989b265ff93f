package io.bsdb.benchmarks.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.benchmarks.Enrichment;
import io.bsdb.benchmarks.Enrichment.Join;
import io.bsdb.benchmarks.Results;
import io.bsdb.benchmarks.Workload;
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
    int status =
        LookupBench.run(
            "--directory=" + directory,
            "--rows=1000",
            "--events=2000",
            "--disk-events=100",
            "--rounds=1",
            "--quiet",
            "--only=CONSTANT,HASH_MAP,BSDB,DISK_READER,DISK_ASYNC");

    assertThat(status).isZero();
    Results results =
        new ObjectMapper().readValue(directory.resolve("results.json").toFile(), Results.class);
    assertThat(directory.resolve("report.html")).exists();
    List<Enrichment> both = results.enrichment();
    assertThat(both).extracting(Enrichment::events).containsExactly(2000L, 100L);
    assertThat(both.get(0).joins())
        .extracting(Join::name)
        .containsExactly("a constant row", "HashMap on the heap", "bsdb, synchronous");
    assertThat(both.get(0).joins())
        .allSatisfy(
            join -> {
              assertThat(join.measures()).containsOnlyKeys("µs per event", "µs over constant");
              assertThat(join.ratios()).containsOnlyKeys("µs per event");
            });
    assertThat(both.get(1).joins())
        .extracting(Join::name)
        .containsExactly("the reader alone", "bsdb, asynchronous");
    assertThat(both.get(1).joins().get(1).ratios()).containsOnlyKeys("µs per event");
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
