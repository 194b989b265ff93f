package io.bsdb.benchmarks.flink;

import java.util.Map;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/** What jobs of all benchmarks in Flink have in common. */
final class Jobs {
  /** A step through numbers that hits them in no order that memory could foresee. */
  static final long STEP = 7_368_787;

  /** Options of a table that drops all. */
  static final String DROPPED = "'connector' = 'blackhole'";

  /** Rows below which figures mean nothing: all is tried once. */
  private static final int FEW_ROWS = 10_000;

  private Jobs() {}

  /** Returns how many rounds warm up and do not count. */
  static int untimed(long rows) {
    return rows < FEW_ROWS ? 0 : 1;
  }

  /** Creates a session with a view {@code numbers} from 0 on, beside the processing time. */
  static StreamTableEnvironment session(
      StreamExecutionEnvironment env, RuntimeExecutionMode mode, int parallelism, long numbers) {
    env.setParallelism(parallelism);
    env.setRuntimeMode(mode);
    StreamTableEnvironment tables = StreamTableEnvironment.create(env);
    createView(tables, "numbers", env.fromSequence(0, numbers - 1));
    Map.of(
            "RECORD_KEY", Functions.KeyOf.class,
            "CHECKED", Functions.Check.class,
            "FOUND", Functions.Found.class,
            "AGE", Functions.Age.class)
        .forEach(tables::createTemporarySystemFunction);
    return tables;
  }

  /** Creates a view of numbers, beside the processing time. */
  static void createView(StreamTableEnvironment tables, String name, DataStream<?> numbers) {
    Schema schema = Schema.newBuilder().columnByExpression("pt", "PROCTIME()").build();
    tables.createTemporaryView(name, tables.fromDataStream(numbers, schema));
  }

  static void create(StreamTableEnvironment tables, String name, String columns, String options) {
    tables.executeSql("CREATE TABLE %s (%s) WITH (%s)".formatted(name, columns, options));
  }

  static JobClient start(StreamTableEnvironment tables, String statement) {
    return tables.executeSql(statement).getJobClient().orElseThrow();
  }

  /** Runs a job to its end, and returns how many seconds it took. */
  static double run(StreamTableEnvironment tables, String statement) throws Exception {
    return start(tables, statement).getJobExecutionResult().get().getNetRuntime() / 1e3;
  }

  /**
   * Runs a job that joins numbers with a table {@code t}, and writes into a table {@code target}.
   *
   * @param key {@code k} that is looked up for a number {@code f0}
   * @return how many seconds it took
   */
  static double join(StreamTableEnvironment tables, String key, String selected) throws Exception {
    tables.executeSql("CREATE TEMPORARY VIEW s AS SELECT %s AS k, pt FROM numbers".formatted(key));
    return run(
        tables,
        "INSERT INTO target SELECT %s FROM s LEFT JOIN t FOR SYSTEM_TIME AS OF s.pt ON t.id = s.k"
            .formatted(selected));
  }
}
