package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.examples.cluster.LocalFlink;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/**
 * Measures the processor time of jobs in Flink that replace all rows of a table: by a build of all,
 * and by {@code 'sink.publish' = 'auto'} where few have changed or all. The jobs take turns in one
 * cluster, in rounds after one that does not count. Ratios are those of each round.
 */
public record ReloadJobBench(Path directory, LocalFlink flink, long count) {
  private static final int PARALLELISM = 2;
  private static final int CHANGED_PART = 100;
  private static final String NAME = "x".repeat(90);
  private static final String PROCESSOR = "processor, s";

  /** Runs the rounds, in hash order and in key order. */
  public static List<Section> run(Path data, long count, int rounds) throws Exception {
    Path directory = data.toAbsolutePath().resolve("reloaded-by-jobs");
    Directories.delete(directory);
    Configuration configuration = new Configuration();
    configuration.set(CoreOptions.TMP_DIRS, directory.resolve("tmp").toString());
    List<Section> sections = new ArrayList<>();
    try (LocalFlink flink = LocalFlink.start(PARALLELISM, configuration)) {
      for (String order : List.of("hash", "key")) {
        sections.add(new ReloadJobBench(directory.resolve(order), flink, count).run(order, rounds));
      }
    }
    Directories.delete(directory);
    return sections;
  }

  private Section run(String order, int rounds) throws Exception {
    Row dropped = new Row("dropped", "the same rows into a sink that drops them");
    Row build = new Row("build", "publish=all");
    Row few = new Row("few", "publish=auto, 1 % of the rows changed");
    Row all = new Row("all", "publish=auto, all rows changed");
    List<Row> rows = List.of(build, few, all, dropped);
    load(order, "all", 'a', 'a');
    for (int round = 0; round <= rounds; round++) {
      Progress.step("round %d of %d, %s order", round, rounds, order);
      double drops = insert(order, "INSERT INTO dropped", 'a', 'a');
      double builds = load(order, "all", 'b', 'b');
      double fewChange = load(order, "auto", 'c', 'b');
      requireChanges(count / CHANGED_PART);
      double allChange = load(order, "auto", 'd', 'd');
      requireChanges(0);
      if (round > 0) {
        build.add(PROCESSOR, builds);
        few.add(PROCESSOR, fewChange);
        all.add(PROCESSOR, allChange);
        dropped.add(PROCESSOR, drops);
      }
      Table.at(directory).prune(1);
    }
    rows.forEach(row -> row.relate("times a build", PROCESSOR, build, (own, base) -> own / base));
    return Section.of(
        String.format(Locale.ROOT, "Reloads by jobs, %,d rows, %s order", count, order),
        List.of(),
        rows);
  }

  private void requireChanges(long expected) throws Exception {
    Table table = Table.at(directory);
    Manifest manifest = table.manifest(table.requireCurrentVersion());
    if (manifest.changes().count() != expected) {
      throw new IllegalStateException(
          "changes over the partition files: expected=%d actual=%d"
              .formatted(expected, manifest.changes().count()));
    }
  }

  private double load(String order, String publish, char changed, char others) throws Exception {
    return insert(
        order,
        "INSERT OVERWRITE t /*+ OPTIONS('sink.publish' = '%s') */".formatted(publish),
        changed,
        others);
  }

  /** Returns the processor time of the whole process, in seconds. */
  private double insert(String order, String insert, char changed, char others) throws Exception {
    StreamTableEnvironment tables =
        Jobs.session(
            new StreamExecutionEnvironment(flink.configuration()),
            RuntimeExecutionMode.BATCH,
            PARALLELISM,
            count);
    tables.executeSql(
        "CREATE TABLE t (id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'bsdb', 'path' = '%s', 'sink.order' = '%s', 'sink.partitions' = '8')"
            .formatted(directory, order));
    tables.executeSql(
        "CREATE TABLE dropped (id BIGINT, name STRING) WITH ('connector' = 'blackhole')");
    long start = Machine.processorNanos();
    tables
        .executeSql(
            "%s SELECT MOD(f0 * %d, %d), IF(MOD(f0, %d) = 0, '%c', '%c') || '%s' FROM numbers"
                .formatted(insert, Jobs.STEP, count, CHANGED_PART, changed, others, NAME))
        .await();
    double seconds = (Machine.processorNanos() - start) / 1e9;
    Progress.step("%.1f s: %s", seconds, insert);
    return seconds;
  }
}
