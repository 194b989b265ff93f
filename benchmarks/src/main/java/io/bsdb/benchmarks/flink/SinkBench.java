package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Progress;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.functions.ScalarFunction;

/**
 * Measures a stream into a table, and the table while it changes: {@code benchmarks/run sink
 * DIRECTORY ROWS ROUNDS [CONTENDER...]}. A contender is {@code bsdb}, the default, {@code paimon},
 * or the options of a table, in which {@code DIRECTORY} is replaced, and {@code STREAM} by a name
 * for each job.
 *
 * <ul>
 *   <li>Rows per second of a job that writes the table, beside the same job into a sink that drops
 *       them.
 *   <li>Rows per second of a lookup join with the table, while another job changes 10,000 rows per
 *       second of it.
 *   <li>The time from the start of a checkpoint of that job until a row of the join shows what came
 *       just before it.
 * </ul>
 */
public final class SinkBench {
  private static final PrintStream OUT = System.out;
  private static final int PARALLELISM = 2;
  private static final long CHECKPOINT_MILLIS = 1_000;
  private static final int CHANGES_PER_SECOND = 10_000;
  private static final long KEYS = 1_000_000;
  private static final long STEP = 7_368_787;
  private static final String NAME = "x".repeat(80);
  private static final Map<String, String> OPTIONS =
      Map.of(
          "bsdb",
          "'connector' = 'bsdb', 'path' = 'DIRECTORY/bsdb', 'sink.stream' = 'STREAM', 'lookup.refresh-interval' = '1 s'",
          "paimon",
          "'connector' = 'paimon', 'path' = 'file://DIRECTORY/paimon', 'auto-create' = 'true', 'bucket' = '1', 'continuous.discovery-interval' = '1 s'");

  private final Path directory;
  private final long rows;

  private SinkBench(Path directory, long rows) {
    this.directory = directory.toAbsolutePath();
    this.rows = rows;
  }

  public static void main(String[] arguments) throws Exception {
    SinkBench bench = new SinkBench(Path.of(arguments[0]), Long.parseLong(arguments[1]));
    int rounds = Integer.parseInt(arguments[2]);
    List<String> contenders =
        arguments.length == 3
            ? List.of("bsdb")
            : Arrays.asList(arguments).subList(3, arguments.length);
    bench.writing(contenders, rounds);
    for (String contender : contenders) {
      bench.joining(contender, rounds);
    }
    Directories.delete(bench.directory);
  }

  /** When a row passes, in milliseconds since the epoch. */
  public static final class Now extends ScalarFunction {
    private static final long serialVersionUID = 1L;

    public long eval() {
      return System.currentTimeMillis();
    }

    @Override
    public boolean isDeterministic() {
      return false;
    }
  }

  /**
   * Notes how old rows are when they are found first. They carry the time at which they passed
   * their source. Those that went just before the barrier of a checkpoint are the youngest of a
   * version: their age is the time since that checkpoint began. So of all rows that passed within
   * one checkpoint interval the least age counts, as an upper bound.
   */
  public static final class Age extends ScalarFunction {
    private static final long serialVersionUID = 1L;
    private static final int WATCHED_INTERVALS = 5;
    private static final Map<Long, Long> AGES = new HashMap<>();
    private static long newest;

    public Long eval(Long passed) {
      if (passed != null && passed > newest - WATCHED_INTERVALS * CHECKPOINT_MILLIS) {
        note(passed);
      }
      return passed;
    }

    private static void note(long passed) {
      synchronized (AGES) {
        newest = Math.max(newest, passed);
        AGES.merge(passed / CHECKPOINT_MILLIS, System.currentTimeMillis() - passed, Math::min);
      }
    }

    static void clear() {
      synchronized (AGES) {
        AGES.clear();
      }
    }

    /** Returns the ages, the least first; not of the last interval, of which rows are missing. */
    static List<Long> sorted() {
      synchronized (AGES) {
        AGES.remove(newest / CHECKPOINT_MILLIS);
        return AGES.values().stream().sorted().toList();
      }
    }
  }

  private StreamTableEnvironment session(String contender, String stream) {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    env.setParallelism(PARALLELISM);
    env.enableCheckpointing(CHECKPOINT_MILLIS);
    StreamTableEnvironment tables = StreamTableEnvironment.create(env);
    // The order of rows with one key does not matter here.
    tables.getConfig().set("table.exec.sink.require-on-conflict", "false");
    tables.getConfig().set("table.exec.sink.upsert-materialize", "NONE");
    tables.createTemporarySystemFunction("NOW_MILLIS", Now.class);
    tables.createTemporarySystemFunction("AGE", Age.class);
    tables.createTemporaryView(
        "numbers",
        tables.fromDataStream(
            env.fromSequence(0, rows - 1),
            Schema.newBuilder().columnByExpression("pt", "PROCTIME()").build()));
    tables.executeSql(
        "CREATE TABLE t (id BIGINT, passed BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (%s)"
            .formatted(
                OPTIONS
                    .getOrDefault(contender, contender)
                    .replace("DIRECTORY", directory.toString())
                    .replace("STREAM", stream)));
    return tables;
  }

  private static JobClient start(StreamTableEnvironment tables, String statement) {
    return tables.executeSql(statement).getJobClient().orElseThrow();
  }

  private double rowsPerSecond(StreamTableEnvironment tables, String statement) throws Exception {
    long millis = start(tables, statement).getJobExecutionResult().get().getNetRuntime();
    return rows * 1000.0 / millis;
  }

  private double writtenPerSecond(String contender) throws Exception {
    return rowsPerSecond(
        session(contender, "load"),
        "INSERT INTO t SELECT MOD(f0 * %d, %d), f0, '%s' FROM numbers".formatted(STEP, KEYS, NAME));
  }

  private void writing(List<String> contenders, int rounds) throws Exception {
    double[][] ratios = new double[contenders.size()][rounds];
    double[][] rates = new double[contenders.size()][rounds];
    for (int round = -1; round < rounds; round++) {
      double dropped = writtenPerSecond("'connector' = 'blackhole'");
      for (int i = 0; i < contenders.size(); i++) {
        Directories.delete(directory);
        double kept = writtenPerSecond(contenders.get(i));
        Progress.step("dropped %,.0f rows/s, %,.0f: %s", dropped, kept, contenders.get(i));
        if (round >= 0) {
          ratios[i][round] = kept / dropped;
          rates[i][round] = kept;
        }
      }
    }
    for (int i = 0; i < contenders.size(); i++) {
      say(
          "written: %,.0f rows/s, %.2f times as many as dropped: %s",
          median(rates[i]), median(ratios[i]), contenders.get(i));
    }
  }

  private void joining(String contender, int rounds) throws Exception {
    Directories.delete(directory);
    writtenPerSecond(contender);
    StreamTableEnvironment changing = session(contender, "changes");
    changing.executeSql(
        "CREATE TABLE ticks (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '%d', 'fields.n.min' = '0', 'fields.n.max' = '%d')"
            .formatted(CHANGES_PER_SECOND, KEYS - 1));
    JobClient changes =
        start(changing, "INSERT INTO t SELECT n, NOW_MILLIS(), '%s' FROM ticks".formatted(NAME));
    double[] rates = new double[rounds];
    try {
      for (int round = -1; round < rounds; round++) {
        StreamTableEnvironment tables = session(contender, "none");
        tables.executeSql(
            "CREATE TABLE target (k BIGINT, passed BIGINT, name STRING) WITH ('connector' = 'blackhole')");
        tables.executeSql(
            "CREATE TEMPORARY VIEW s AS SELECT MOD(f0 * %d, %d) AS k, pt FROM numbers"
                .formatted(STEP, KEYS));
        double rate =
            rowsPerSecond(
                tables,
                "INSERT INTO target SELECT k, AGE(t.passed), t.name FROM s LEFT JOIN t FOR SYSTEM_TIME AS OF s.pt ON t.id = s.k");
        Progress.step("joined %,.0f rows/s: %s", rate, contender);
        if (round >= 0) {
          rates[round] = rate;
        } else {
          Age.clear();
        }
      }
    } finally {
      changes.cancel().get();
    }
    List<Long> ages = Age.sorted();
    say(
        "joined while rows change: %,.0f rows/s; from the start of a checkpoint to the first row that shows it: median %,d ms, longest %,d of %d: %s",
        median(rates),
        ages.isEmpty() ? -1 : ages.get(ages.size() / 2),
        ages.isEmpty() ? -1 : ages.get(ages.size() - 1),
        ages.size(),
        contender);
  }

  private static double median(double... values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static void say(String format, Object... arguments) {
    OUT.printf(Locale.ROOT, format + "%n", arguments);
  }
}
