package io.bsdb.benchmarks.flink;

import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/** What jobs of all benchmarks in Flink begin with. */
final class Jobs {
  /** A step through numbers that hits them in no order that memory could foresee. */
  static final long STEP = 7_368_787;

  private Jobs() {}

  /** Creates a session with a view {@code numbers} from 0 on, beside the processing time. */
  static StreamTableEnvironment session(
      StreamExecutionEnvironment env, RuntimeExecutionMode mode, int parallelism, long numbers) {
    env.setParallelism(parallelism);
    env.setRuntimeMode(mode);
    StreamTableEnvironment tables = StreamTableEnvironment.create(env);
    createView(tables, "numbers", env.fromSequence(0, numbers - 1));
    return tables;
  }

  /** Creates a view of numbers, beside the processing time. */
  static void createView(StreamTableEnvironment tables, String name, DataStream<?> numbers) {
    Schema schema = Schema.newBuilder().columnByExpression("pt", "PROCTIME()").build();
    tables.createTemporaryView(name, tables.fromDataStream(numbers, schema));
  }

  /** Starts a job. */
  static JobClient start(StreamTableEnvironment tables, String statement) {
    return tables.executeSql(statement).getJobClient().orElseThrow();
  }

  /** Runs a job to its end, and returns how many seconds it took. */
  static double run(StreamTableEnvironment tables, String statement) throws Exception {
    return start(tables, statement).getJobExecutionResult().get().getNetRuntime() / 1e3;
  }
}
