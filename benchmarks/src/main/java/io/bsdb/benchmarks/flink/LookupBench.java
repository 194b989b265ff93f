package io.bsdb.benchmarks.flink;

import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs one query with different lookups, in turn, in one slot, and tells the wall time per row that
 * each adds. Differences count: the time of the source, the sink and Flink itself is in all.
 */
@Command(
    name = "lookup-bench",
    mixinStandardHelpOptions = true,
    description = "Compares lookup joins of a Flink job, end to end.")
public final class LookupBench implements Callable<Integer> {
  static final String NAME = "name of customer ";

  @Option(names = "--directory", description = "for the table; default: ${DEFAULT-VALUE}")
  private Path directory = Path.of("bench-data");

  @Option(names = "--rows", description = "of the table; default: ${DEFAULT-VALUE}")
  private long rows = 1_000_000;

  @Option(names = "--events", description = "of the stream; default: ${DEFAULT-VALUE}")
  private long events = 10_000_000;

  @Option(names = "--rounds", description = "of each variant; default: ${DEFAULT-VALUE}")
  private int rounds = 5;

  private enum Variant {
    NO_LOOKUP,
    CONSTANT,
    HASH_MAP,
    BSDB,
    /** A version is put in service every second. */
    BSDB_REFRESHED,
    BSDB_ASYNC
  }

  public static void main(String[] args) {
    System.exit(new CommandLine(new LookupBench()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    Path path = directory.resolve("table-" + rows);
    while (Table.at(path).versions().size() < 2) {
      build(path);
    }
    Map<Variant, List<Double>> micros = new EnumMap<>(Variant.class);
    for (int round = -1; round < rounds; round++) {
      for (Variant variant : Variant.values()) {
        double perRow = measure(path, variant);
        System.out.printf(Locale.ROOT, "round %2d %-15s %.3f us/row%n", round, variant, perRow);
        if (round >= 0) {
          micros.computeIfAbsent(variant, none -> new ArrayList<>()).add(perRow);
        }
      }
    }
    report(micros);
    return 0;
  }

  private void report(Map<Variant, List<Double>> micros) {
    double constant = median(micros.getOrDefault(Variant.CONSTANT, List.of()));
    System.out.printf(
        Locale.ROOT, "%nrows=%d events=%d rounds=%d, medians%n", rows, events, rounds);
    micros.forEach(
        (variant, values) ->
            System.out.printf(
                Locale.ROOT,
                "%-15s %.3f us/row, %+.3f against CONSTANT%n",
                variant,
                median(values),
                median(values) - constant));
  }

  private static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return sorted.length == 0
        ? Double.NaN
        : Arrays.stream(sorted).skip(sorted.length / 2).findFirst().orElseThrow();
  }

  private static StreamTableEnvironment environment(RuntimeExecutionMode mode, long numbers) {
    Configuration configuration = new Configuration();
    configuration.set(ExecutionOptions.RUNTIME_MODE, mode);
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    env.setParallelism(1);
    EnvironmentSettings.Builder settings = EnvironmentSettings.newInstance();
    StreamTableEnvironment tables =
        StreamTableEnvironment.create(
            env,
            (mode == RuntimeExecutionMode.BATCH
                    ? settings.inBatchMode()
                    : settings.inStreamingMode())
                .build());
    tables.createTemporaryView(
        "numbers",
        tables.fromDataStream(
            env.fromSequence(0, numbers - 1),
            Schema.newBuilder().columnByExpression("pt", "PROCTIME()").build()));
    return tables;
  }

  private static void declare(StreamTableEnvironment tables, String with) {
    tables.executeSql(
        "CREATE TABLE d (id BIGINT, a BIGINT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (%s)"
            .formatted(with));
  }

  private void build(Path path) throws Exception {
    StreamTableEnvironment tables = environment(RuntimeExecutionMode.BATCH, rows);
    declare(
        tables, "'connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '16'".formatted(path));
    tables
        .executeSql(
            "INSERT OVERWRITE d SELECT f0, f0 * 3, '%s' || CAST(f0 AS STRING) FROM numbers"
                .formatted(NAME))
        .await();
  }

  private String options(Variant variant, Path path) {
    return switch (variant) {
      case NO_LOOKUP, CONSTANT -> "'connector' = 'bench-heap', 'rows' = '1'";
      case HASH_MAP -> "'connector' = 'bench-heap', 'rows' = '%d'".formatted(rows);
      case BSDB -> "'connector' = 'bsdb', 'path' = '%s'".formatted(path);
      case BSDB_REFRESHED ->
          "'connector' = 'bsdb', 'path' = '%s', 'lookup.refresh-interval' = '100 ms'"
              .formatted(path);
      case BSDB_ASYNC ->
          "'connector' = 'bsdb', 'path' = '%s', 'lookup.async' = 'true', 'lookup.access' = 'mapped'"
              .formatted(path);
    };
  }

  /** Microseconds per row of one job. */
  private double measure(Path path, Variant variant) throws Exception {
    StreamTableEnvironment tables = environment(RuntimeExecutionMode.STREAMING, events);
    declare(tables, options(variant, path));
    tables.executeSql(
        "CREATE TABLE target (a BIGINT, name STRING) WITH ('connector' = 'blackhole')");
    // A step through the keys that hits them in no order that memory could foresee.
    tables.executeSql(
        "CREATE TEMPORARY VIEW s AS SELECT MOD(f0 * 7368787, %d) AS k, pt FROM numbers"
            .formatted(rows));
    String query =
        variant == Variant.NO_LOOKUP
            ? "SELECT k * 3, 'name of customer 0' FROM s"
            : "SELECT k + d.a, d.name FROM s LEFT JOIN d FOR SYSTEM_TIME AS OF s.pt ON d.id = s.k";
    CountDownLatch ended = new CountDownLatch(variant == Variant.BSDB_REFRESHED ? 1 : 0);
    FutureTask<Integer> publications = new FutureTask<>(() -> publish(path, ended));
    new Thread(publications, "publisher").start();
    long nanos =
        TimeUnit.MILLISECONDS.toNanos(
            tables
                .executeSql("INSERT INTO target " + query)
                .getJobClient()
                .orElseThrow()
                .getJobExecutionResult()
                .get()
                .getNetRuntime());
    ended.countDown();
    publications.get();
    return nanos / 1e3 / events;
  }

  /** Puts the two versions in service in turn; tells how often. */
  private static int publish(Path path, CountDownLatch ended)
      throws IOException, InterruptedException {
    Table table = Table.at(path);
    List<String> versions = table.versions();
    int count = 0;
    while (!ended.await(1, TimeUnit.SECONDS)) {
      table.rollback(versions.get(count % 2));
      count++;
    }
    return count;
  }
}
