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
import java.util.function.DoubleBinaryOperator;
import java.util.stream.IntStream;
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

  /** A step through the keys that hits them in no order that memory could foresee. */
  static final long STEP = 7_368_787;

  @Option(names = "--directory", description = "for the table; default: ${DEFAULT-VALUE}")
  private Path directory = Path.of("bench-data");

  @Option(names = "--rows", description = "of the table; default: ${DEFAULT-VALUE}")
  private long rows = 1_000_000;

  @Option(names = "--events", description = "of the stream; default: ${DEFAULT-VALUE}")
  private long events = 10_000_000;

  @Option(names = "--rounds", description = "of each variant; default: ${DEFAULT-VALUE}")
  private int rounds = 5;

  @Option(
      names = "--disk-events",
      description = "of the stream whose lookups wait for the disk; default: ${DEFAULT-VALUE}")
  private long diskEvents = 2_000_000;

  @Option(
      names = "--under-way",
      description = "lookups that wait for the disk at a time; default: ${DEFAULT-VALUE}")
  private int underWay = 256;

  @Option(names = "--only", split = ",", description = "of ${COMPLETION-CANDIDATES}; default: all")
  private List<Variant> variants = List.of(Variant.values());

  private enum Variant {
    NO_LOOKUP,
    CONSTANT,
    HASH_MAP,
    BSDB,
    /** A version is put in service every second. */
    BSDB_REFRESHED,
    BSDB_ASYNC,
    /** Past the page cache, and without Flink. */
    DISK_READER,
    /** Past the page cache, as many at a time as the reader alone. */
    DISK_ASYNC;

    boolean waitsForDisk() {
      return this == DISK_READER || this == DISK_ASYNC;
    }
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
      for (Variant variant : variants) {
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
    System.out.printf(
        Locale.ROOT,
        "%nrows=%d events=%d disk events=%d under way=%d rounds=%d, medians%n",
        rows,
        events,
        diskEvents,
        underWay,
        rounds);
    List<Double> constant = micros.get(Variant.CONSTANT);
    micros.forEach(
        (variant, values) ->
            System.out.printf(
                Locale.ROOT,
                "%-15s %.3f us/row, %,.0f rows/s%s%n",
                variant,
                median(values),
                1e6 / median(values),
                constant == null || variant.waitsForDisk()
                    ? ""
                    : ", %+.3f us against CONSTANT"
                        .formatted(median(inRounds(values, constant, (a, b) -> a - b)))));
    throughput(micros, Variant.BSDB_REFRESHED, Variant.BSDB);
    throughput(micros, Variant.DISK_ASYNC, Variant.DISK_READER);
  }

  /** What two variants of the same round come to. */
  private static List<Double> inRounds(
      List<Double> left, List<Double> right, DoubleBinaryOperator operator) {
    return IntStream.range(0, left.size())
        .mapToObj(round -> operator.applyAsDouble(left.get(round), right.get(round)))
        .toList();
  }

  private static void throughput(
      Map<Variant, List<Double>> micros, Variant variant, Variant against) {
    List<Double> left = micros.get(variant);
    List<Double> right = micros.get(against);
    if (left != null && right != null) {
      System.out.printf(
          Locale.ROOT,
          "rows/s of %s: %.3f of those of %s%n",
          variant,
          median(inRounds(left, right, (a, b) -> b / a)),
          against);
    }
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
      case DISK_READER, DISK_ASYNC ->
          "'connector' = 'bsdb', 'path' = '%s', 'lookup.async' = 'true', 'lookup.access' = 'io_uring'"
              .formatted(path);
    };
  }

  /** Microseconds per row. */
  private double measure(Path path, Variant variant) throws Exception {
    return variant == Variant.DISK_READER
        ? DiskReader.nanos(path, rows, diskEvents, underWay) / 1e3 / diskEvents
        : measureJob(path, variant);
  }

  private double measureJob(Path path, Variant variant) throws Exception {
    long numbers = variant.waitsForDisk() ? diskEvents : events;
    StreamTableEnvironment tables = environment(RuntimeExecutionMode.STREAMING, numbers);
    declare(tables, options(variant, path));
    tables.executeSql(
        "CREATE TABLE target (a BIGINT, name STRING) WITH ('connector' = 'blackhole')");
    tables.executeSql(
        "CREATE TEMPORARY VIEW s AS SELECT MOD(f0 * %d, %d) AS k, pt FROM numbers"
            .formatted(STEP, rows));
    CountDownLatch ended = new CountDownLatch(variant == Variant.BSDB_REFRESHED ? 1 : 0);
    FutureTask<Integer> publications = new FutureTask<>(() -> publish(path, ended));
    new Thread(publications, "publisher").start();
    long nanos =
        TimeUnit.MILLISECONDS.toNanos(
            tables
                .executeSql("INSERT INTO target " + query(variant))
                .getJobClient()
                .orElseThrow()
                .getJobExecutionResult()
                .get()
                .getNetRuntime());
    ended.countDown();
    publications.get();
    return nanos / 1e3 / numbers;
  }

  private String query(Variant variant) {
    if (variant == Variant.NO_LOOKUP) {
      return "SELECT k * 3, 'name of customer 0' FROM s";
    }
    String hint =
        "/*+ LOOKUP('table'='d', 'output-mode'='allow_unordered', 'capacity'='%d') */"
            .formatted(underWay);
    return "SELECT %s k + d.a, d.name FROM s LEFT JOIN d FOR SYSTEM_TIME AS OF s.pt ON d.id = s.k"
        .formatted(variant == Variant.DISK_ASYNC ? hint : "");
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
