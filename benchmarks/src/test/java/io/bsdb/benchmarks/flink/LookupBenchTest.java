package io.bsdb.benchmarks.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.benchmarks.Enrichment;
import io.bsdb.benchmarks.Enrichment.Join;
import io.bsdb.benchmarks.Results;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How fast anything is does not matter. */
class LookupBenchTest {
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
    TableEnvironment tables =
        TableEnvironment.create(
            EnvironmentSettings.newInstance().withConfiguration(new Configuration()).build());
    tables.executeSql(
        "CREATE TABLE target (k BIGINT, a BIGINT, name STRING) WITH ('connector' = 'bench-check', 'checked' = 'true')");

    assertThatThrownBy(
            () -> tables.executeSql("INSERT INTO target VALUES (7, 21, 'x'), (7, 22, 'x')").await())
        .hasStackTraceContaining("wrong answer")
        .hasStackTraceContaining("22");
    assertThatThrownBy(
            () ->
                tables
                    .executeSql("INSERT INTO target VALUES (7, CAST(NULL AS BIGINT), 'x')")
                    .await())
        .hasStackTraceContaining("wrong answer");
  }
}
