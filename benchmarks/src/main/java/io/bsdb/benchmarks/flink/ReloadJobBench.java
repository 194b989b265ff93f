package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.examples.cluster.LocalFlink;
import io.bsdb.table.Table;
import io.bsdb.table.storage.DirectoryTree;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
  private static final String ALL = "INSERT OVERWRITE t /*+ OPTIONS('sink.publish' = 'all') */";
  private static final String AUTO = "INSERT OVERWRITE t /*+ OPTIONS('sink.publish' = 'auto') */";

  /** Runs the rounds, in hash order and in key order. */
  public static List<Section> run(Path data, long count, int rounds) throws Exception {
    Path directory = data.resolve("reloaded-by-jobs");
    DirectoryTree.delete(directory);
    Configuration configuration = new Configuration();
    configuration.set(CoreOptions.TMP_DIRS, directory.resolve("tmp").toString());
    List<Section> sections = new ArrayList<>();
    try (LocalFlink flink = LocalFlink.start(PARALLELISM, configuration)) {
      for (String order : List.of("hash", "key")) {
        sections.add(new ReloadJobBench(directory.resolve(order), flink, count).run(order, rounds));
      }
    }
    DirectoryTree.delete(directory);
    return sections;
  }

  private Section run(String order, int rounds) throws Exception {
    insert(order, ALL, 'a', 'a', new Row("untimed"));
    List<String> names =
        List.of("all", "auto, 1 % of the rows changed", "auto, all rows changed", "dropped");
    List<Row> untimed = names.stream().map(Row::new).toList();
    List<Row> timed = names.stream().map(Row::new).toList();
    for (int round = 0; round <= rounds; round++) {
      Progress.step("round %d of %d, %s order", round, rounds, order);
      List<Row> rows = round == 0 ? untimed : timed;
      insert(order, "INSERT INTO dropped", 'a', 'a', rows.get(3));
      insert(order, ALL, 'b', 'b', rows.get(0));
      insert(order, AUTO, 'c', 'b', rows.get(1));
      requireChanges(count / CHANGED_PART);
      insert(order, AUTO, 'd', 'd', rows.get(2));
      requireChanges(0);
      Table.at(directory).prune(1);
    }
    return new Section("Reloads by jobs, %,d rows, %s order".formatted(count, order), timed);
  }

  private void requireChanges(long expected) throws Exception {
    Table table = Table.at(directory);
    long actual = table.manifest(table.requireCurrentVersion()).changes().count();
    if (actual != expected) {
      throw new IllegalStateException(
          "changes over the partition files: expected=%d actual=%d".formatted(expected, actual));
    }
  }

  /** Adds the processor time of the whole process, in seconds. */
  private void insert(String order, String insert, char changed, char others, Row row)
      throws Exception {
    StreamExecutionEnvironment env = new StreamExecutionEnvironment(flink.configuration());
    StreamTableEnvironment tables =
        Jobs.session(env, RuntimeExecutionMode.BATCH, PARALLELISM, count);
    Jobs.create(
        tables,
        "t",
        "id BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED",
        "'connector' = 'bsdb', 'path' = '%s', 'sink.order' = '%s', 'sink.partitions' = '8'"
            .formatted(directory, order));
    Jobs.create(tables, "dropped", "id BIGINT, name STRING", Jobs.DROPPED);
    long start = Machine.processorNanos();
    tables
        .executeSql(
            "%s SELECT MOD(f0 * %d, %d), IF(MOD(f0, %d) = 0, '%c', '%c') || '%s' FROM numbers"
                .formatted(insert, Jobs.STEP, count, CHANGED_PART, changed, others, NAME))
        .await();
    row.add("processor, s", (Machine.processorNanos() - start) / 1e9);
  }
}
