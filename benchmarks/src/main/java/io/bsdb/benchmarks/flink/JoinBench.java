package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.harness.DataSet;
import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.RecordFile;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Peers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/**
 * Joins a stream in Flink with a table of eight columns of text in different layouts, reading two
 * of them or all.
 *
 * @param rows of the table
 */
public record JoinBench(Path directory, long rows, long events) {
  /** The columns that a query reads. */
  private static final List<List<String>> QUERIES =
      List.of(List.of("c3", "c6"), List.of("c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"));

  /** Runs the comparison. */
  public List<Section> run(List<String> layouts, int rounds) throws Exception {
    RecordFile records =
        RecordFile.of(
            Files.createDirectories(directory), new Workload(DataSet.named("columns"), rows));
    Map<String, Path> tables = new LinkedHashMap<>();
    for (String layout : layouts) {
      Progress.step("build %s", layout);
      Peer peer = Peers.one("bsdb-" + layout);
      Path table = directory.resolve("join-" + rows + "-" + layout);
      Directories.delete(table);
      peer.build(records, table);
      tables.put(layout, table);
    }
    Turns<Path> turns = Turns.of(tables);
    for (List<String> columns : QUERIES) {
      String figure = "%d of 8 columns, µs per event".formatted(columns.size());
      Progress.step("%s", figure);
      turns.run(1, rounds, (table, round, row) -> row.add(figure, join(table, columns)));
    }
    return List.of(turns.section("Joins in Flink: %,d rows, %,d events".formatted(rows, events)));
  }

  /** Runs one job; returns microseconds per event. */
  private double join(Path table, List<String> columns) throws Exception {
    StreamTableEnvironment tables = LookupJob.session(RuntimeExecutionMode.STREAMING, rows, events);
    tables.executeSql(
        """
        CREATE TABLE d (id BIGINT, c1 STRING, c2 STRING, c3 STRING, c4 STRING, c5 STRING,
          c6 STRING, c7 STRING, c8 STRING, PRIMARY KEY (id) NOT ENFORCED)
        WITH ('connector' = 'bsdb', 'path' = '%s')\
        """
            .formatted(table));
    tables.executeSql(
        "CREATE TABLE target (k BIGINT%s) WITH ('connector' = 'blackhole')"
            .formatted(", %s STRING".repeat(columns.size()).formatted(columns.toArray())));
    return Jobs.run(
            tables,
            "INSERT INTO target SELECT s.k%s FROM s JOIN d FOR SYSTEM_TIME AS OF s.pt ON d.id = s.k"
                .formatted(", d.%s".repeat(columns.size()).formatted(columns.toArray())))
        * 1e6
        / events;
  }
}
