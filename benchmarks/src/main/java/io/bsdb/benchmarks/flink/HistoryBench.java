package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.flink.HistoryStreams.Check;
import io.bsdb.benchmarks.flink.HistoryStreams.Numbers;
import io.bsdb.benchmarks.flink.HistoryStreams.Stream;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.examples.cluster.LocalFlink;
import io.bsdb.table.storage.DirectoryTree;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.checkpoint.CheckpointStatsSnapshot;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.util.function.FunctionUtils;

/**
 * Joins orders with the prices that were valid when they were ordered, one of twenty late: by
 * lookups in a table with a history, and by Flink's event-time temporal join. First all prices are
 * read: by a job that writes them into the table, or by the temporal join, into its state. Then the
 * orders may come, to a job that runs already and has made a checkpoint. Contenders take turns.
 */
public record HistoryBench(Path directory, LocalFlink flink) {
  private static final int PARALLELISM = 2;
  private static final String BSDB = "bsdb";
  private static final LogicalType ROW =
      DataTypes.ROW(
              DataTypes.FIELD("item", DataTypes.BIGINT().notNull()),
              DataTypes.FIELD("n", DataTypes.BIGINT().notNull()),
              DataTypes.FIELD("ts", DataTypes.TIMESTAMP_LTZ(3)))
          .getLogicalType();

  /**
   * A way to join.
   *
   * @param backend of the state
   */
  private record Contender(String name, String backend) {
    boolean looksUp() {
      return name.equals(BSDB);
    }
  }

  private static final List<Contender> CONTENDERS =
      List.of(
          new Contender(BSDB, "hashmap"),
          new Contender("temporal join, RocksDB", "rocksdb"),
          new Contender("temporal join, heap", "hashmap"));

  /** Runs the comparison in a process without RocksDB's own library: Flink brings another. */
  public static List<Section> run(Path directory, long items, long orders, int rounds)
      throws Exception {
    String classPath =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("rocksdbjni"))
            .collect(Collectors.joining(File.pathSeparator));
    return JavaProcess.call(
        List.of("-cp", classPath),
        new Comparison(directory.toAbsolutePath().resolve("history"), items, orders, rounds));
  }

  record Comparison(Path directory, long items, long orders, int rounds)
      implements Callable<List<Section>> {
    @Override
    public List<Section> call() throws Exception {
      Configuration configuration = new Configuration();
      configuration.set(CoreOptions.TMP_DIRS, directory.resolve("tmp").toString());
      configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(1024));
      HistoryStreams few = new HistoryStreams(items / 10, orders / 10);
      HistoryStreams streams = new HistoryStreams(items, orders);
      try (LocalFlink flink = LocalFlink.start(PARALLELISM, configuration)) {
        HistoryBench bench = new HistoryBench(directory, flink);
        return List.of(
            new Turns<>(CONTENDERS, contender -> new Row(contender.name), 1, rounds)
                .run(
                    (contender, round, row) -> bench.run(contender, round < 0 ? few : streams, row))
                .section(
                    "%,d orders, and ten prices of each of %,d items".formatted(orders, items)));
      } finally {
        DirectoryTree.delete(directory);
      }
    }
  }

  private void run(Contender contender, HistoryStreams streams, Row row) throws Exception {
    DirectoryTree.delete(directory.resolve("table"));
    Numbers.restart(PARALLELISM);
    StreamTableEnvironment tables = session(contender, streams);
    long start = System.nanoTime();
    long written = 0;
    JobID join;
    if (contender.looksUp()) {
      JobID writer =
          Jobs.start(tables, "INSERT INTO history SELECT item, n, ts FROM PRICES").getJobID();
      await(writer, Numbers::arePricesRead);
      checkpoint(writer);
      end(writer).get();
      written = statistics(writer).getSummaryStats().getStateSizeStats().getMaximum();
      join = join(tables, "history", "pt AS p ON p.item = o.item AND p.valid_at = o.ts");
    } else {
      join = join(tables, "PRICES", "ts AS p ON p.item = o.item");
      await(join, Numbers::arePricesRead);
    }
    row.add("checkpoint, bytes", (double) written + checkpoint(join));
    long filled = System.nanoTime();
    Numbers.letOrdersCome();
    await(join, () -> Check.total() >= streams.orders());
    long end = System.nanoTime();
    row.add("checkpoint at the end, bytes", (double) written + checkpoint(join));
    end(join).get();
    row.add("prices read, s", (filled - start) / 1e9);
    row.add("all, s", (end - start) / 1e9);
    row.add("joined, rows/s", streams.orders() * 1e9 / (end - filled));
    if (contender.looksUp()) {
      row.add("table, bytes", (double) DirectoryTree.length(directory.resolve("table")));
    }
    Progress.step("%,d orders joined: %s", streams.orders(), contender.name);
    count(contender, row);
  }

  /** Adds what orders got: always the right price, but for late ones in Flink's own join. */
  private static void count(Contender contender, Row row) {
    for (Map.Entry<String, Long> got : Check.countsAndReset().entrySet()) {
      row.add(got.getKey(), (double) got.getValue());
      boolean mayBeWrong = got.getKey().startsWith("late") && !contender.looksUp();
      if (got.getValue() > 0 && !mayBeWrong && !got.getKey().endsWith("right")) {
        throw new IllegalStateException("orders joined by %s: %s".formatted(contender.name, got));
      }
    }
  }

  /** Starts the job that joins orders with a table. */
  private static JobID join(StreamTableEnvironment tables, String table, String condition) {
    return Jobs.start(
            tables,
            "INSERT INTO target SELECT CHECKED(o.n, p.n) FROM ORDERS AS o LEFT JOIN %s FOR SYSTEM_TIME AS OF o.%s"
                .formatted(table, condition))
        .getJobID();
  }

  private StreamTableEnvironment session(Contender contender, HistoryStreams streams)
      throws Exception {
    Configuration configuration = flink.configuration();
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    configuration.set(StateBackendOptions.STATE_BACKEND, contender.backend);
    configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(10));
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        directory.resolve("checkpoints").toUri().toString());
    StreamExecutionEnvironment env = new StreamExecutionEnvironment(configuration);
    StreamTableEnvironment tables = StreamTableEnvironment.create(env);
    tables.createTemporarySystemFunction("CHECKED", new Check(streams));
    // Rows that are only added, with a primary key: the temporal join takes them as they come.
    declare(tables, env, Stream.PRICES, streams, Schema.newBuilder().primaryKey("item"));
    declare(tables, env, Stream.ORDERS, streams, Schema.newBuilder());
    Jobs.create(tables, "target", "is_right BOOLEAN", Jobs.DROPPED);
    Jobs.create(
        tables,
        "history",
        "item BIGINT, n BIGINT, changed_at TIMESTAMP_LTZ(3), PRIMARY KEY (item, changed_at) NOT"
            + " ENFORCED, valid_at TIMESTAMP_LTZ(3) METADATA FROM 'floor' VIRTUAL",
        "'connector' = 'bsdb', 'path' = '%s', 'history.retention' = 'forever'"
            .formatted(directory.resolve("table")));
    return tables;
  }

  private static void declare(
      StreamTableEnvironment tables,
      StreamExecutionEnvironment env,
      Stream stream,
      HistoryStreams streams,
      Schema.Builder schema) {
    var numbers = new Numbers(stream, streams.count(stream));
    tables.createTemporaryView(
        stream.name(),
        tables.fromDataStream(
            env.fromSource(numbers, WatermarkStrategy.noWatermarks(), stream.name())
                .map(number -> streams.row(stream, number))
                .returns(InternalTypeInfo.of(ROW)),
            schema
                .columnByExpression("pt", "PROCTIME()")
                .watermark("ts", "ts - INTERVAL '0.001' SECOND")
                .build()));
  }

  /** Completes when the job has ended, exceptionally if it failed. */
  private CompletableFuture<?> end(JobID job) {
    return flink
        .cluster()
        .requestJobResult(job)
        .thenApply(
            FunctionUtils.uncheckedFunction(
                result -> result.toJobExecutionResult(getClass().getClassLoader())));
  }

  private void await(JobID job, BooleanSupplier condition) throws Exception {
    CompletableFuture<?> end = end(job);
    while (!condition.getAsBoolean() && !end.isDone()) {
      Thread.sleep(2);
    }
  }

  /**
   * Makes a checkpoint when all tasks run, or waits for the one that ends the job; returns the size
   * of the last one, with what it shares with others.
   */
  private long checkpoint(JobID job) throws Exception {
    CompletableFuture<?> end = end(job);
    boolean isMade = false;
    while (!isMade) {
      try {
        // That of a job that ends meanwhile may never complete.
        CompletableFuture.anyOf(flink.cluster().triggerCheckpoint(job), end).get();
        isMade = true;
      } catch (ExecutionException e) {
        if (end.isDone()) {
          end.get();
          isMade = true;
        }
        Thread.sleep(20);
      }
    }
    return statistics(job).getHistory().getLatestCompletedCheckpoint().getStateSize();
  }

  private CheckpointStatsSnapshot statistics(JobID job) throws Exception {
    return flink.cluster().getExecutionGraph(job).get().getCheckpointStatsSnapshot();
  }
}
