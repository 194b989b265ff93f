package io.bsdb.flink;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;

/** A SQL session on the test's cluster. */
final class Sql {
  final StreamExecutionEnvironment env;
  final StreamTableEnvironment tables;

  private Sql(StreamExecutionEnvironment env, StreamTableEnvironment tables) {
    this.env = env;
    this.tables = tables;
  }

  static MiniClusterResourceConfiguration cluster() {
    return cluster(new Configuration());
  }

  static MiniClusterResourceConfiguration cluster(Configuration configuration) {
    return new MiniClusterResourceConfiguration.Builder()
        .setNumberTaskManagers(2)
        .setNumberSlotsPerTaskManager(4)
        .setConfiguration(configuration)
        .build();
  }

  static Sql batch(int parallelism) {
    return create(RuntimeExecutionMode.BATCH, parallelism);
  }

  static Sql streaming(int parallelism) {
    return create(RuntimeExecutionMode.STREAMING, parallelism);
  }

  private static Sql create(RuntimeExecutionMode mode, int parallelism) {
    Configuration configuration = new Configuration();
    configuration.set(ExecutionOptions.RUNTIME_MODE, mode);
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    env.setParallelism(parallelism);
    EnvironmentSettings.Builder settings = EnvironmentSettings.newInstance();
    settings =
        mode == RuntimeExecutionMode.BATCH ? settings.inBatchMode() : settings.inStreamingMode();
    return new Sql(env, StreamTableEnvironment.create(env, settings.build()));
  }

  /** A view {@code name(f0 BIGINT, pt)} of the numbers 0 to n − 1, read by all subtasks. */
  Sql numbers(String name, long n) {
    tables.createTemporaryView(
        name,
        tables.fromDataStream(
            env.fromSequence(0, n - 1),
            Schema.newBuilder().columnByExpression("pt", "PROCTIME()").build()));
    return this;
  }

  /** Whether operators hand each other rows without copying them. */
  Sql reusingObjects(boolean reuse) {
    env.configure(new Configuration().set(PipelineOptions.OBJECT_REUSE, reuse));
    return this;
  }

  /** Restarts failed jobs at once, so many times. */
  Sql restarting(int attempts) {
    env.configure(
        new Configuration()
            .set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay")
            .set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, attempts)
            .set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ZERO));
    return this;
  }

  /** The numbers 0 to n − 1, so many of them between two checkpoints, read by one subtask. */
  DataStream<Long> numbers(long n, int perCheckpoint) {
    return env.fromSource(
            new DataGeneratorSource<>(
                i -> i, n, RateLimiterStrategy.perCheckpoint(perCheckpoint), Types.LONG),
            WatermarkStrategy.noWatermarks(),
            "numbers")
        .uid("numbers")
        .setParallelism(1);
  }

  /** A view of a changelog. */
  Sql changelog(String name, DataStream<Row> changes, ChangelogMode mode, Schema.Builder schema) {
    tables.createTemporaryView(name, tables.fromChangelogStream(changes, schema.build(), mode));
    return this;
  }

  /** Runs a statement and waits for its end. */
  Sql run(String statement) throws Exception {
    Optional<JobClient> job = tables.executeSql(statement).getJobClient();
    if (job.isPresent()) {
      job.get().getJobExecutionResult().get(); // TableResult.await() looks ten times a second
    }
    return this;
  }

  /** Begins a job. */
  JobClient start(String statement) {
    return tables.executeSql(statement).getJobClient().orElseThrow();
  }

  /** The names of a table {@code t(id BIGINT, name STRING)}, by their ids. */
  Map<Long, String> names() throws Exception {
    return query("SELECT id, name FROM t").stream()
        .collect(Collectors.toMap(row -> row.getFieldAs(0), row -> row.getFieldAs(1)));
  }

  /** All rows of a query, sorted by their text. */
  List<Row> query(String query) throws Exception {
    List<Row> rows = new ArrayList<>();
    try (CloseableIterator<Row> results = tables.executeSql(query).collect()) {
      results.forEachRemaining(rows::add);
    }
    rows.sort(Comparator.comparing(Row::toString));
    return rows;
  }

  /** The same as text. */
  List<String> texts(String query) throws Exception {
    return query(query).stream().map(Row::toString).toList();
  }
}
