package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.harness.InFlight;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.reader.AsyncSnapshotReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.row.KeyWriter;
import io.bsdb.row.RowLayout;
import io.bsdb.row.RowView;
import io.bsdb.table.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
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
import org.jspecify.annotations.Nullable;

/**
 * One query with different lookups, in one slot.
 *
 * @param path of the table
 * @param rows of the table
 */
record LookupJob(Path path, long rows) {
  /** Lookups in flight that wait for the disk. */
  private static final int IN_FLIGHT = 256;

  /** After which the next version is put in service, where versions change. */
  private static final int VERSION_SECONDS = 5;

  /** A step through the records that hits them in no order that memory could foresee. */
  static final long STEP = 7_368_787;

  static StreamTableEnvironment environment(RuntimeExecutionMode mode, long numbers) {
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
    tables.createTemporarySystemFunction("RECORD_KEY", WorkloadFunctions.KeyOf.class);
    tables.createTemporarySystemFunction("RECORD_VALUE", WorkloadFunctions.ValueOf.class);
    tables.createTemporarySystemFunction("CHECKED", WorkloadFunctions.Check.class);
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

  /** Builds two versions of the table, unless they are there. */
  void build() throws Exception {
    while (Table.at(path).versions().size() < 2) {
      StreamTableEnvironment tables = environment(RuntimeExecutionMode.BATCH, rows);
      declare(
          tables, "'connector' = 'bsdb', 'path' = '%s', 'sink.partitions' = '16'".formatted(path));
      tables
          .executeSql(
              "INSERT OVERWRITE d SELECT RECORD_KEY(f0), RECORD_KEY(f0) * %d, RECORD_VALUE(f0) FROM numbers"
                  .formatted(WorkloadFunctions.FACTOR))
          .await();
    }
  }

  /** Returns the options of a variant's lookup table. */
  String options(Variant variant) {
    return switch (variant) {
      case NONE, CONSTANT -> "'connector' = 'bench-heap', 'rows' = '1'";
      case HASHMAP -> "'connector' = 'bench-heap', 'rows' = '%d'".formatted(rows);
      case BSDB -> "'connector' = 'bsdb', 'path' = '%s'".formatted(path);
      case BSDB_REFRESHED ->
          "'connector' = 'bsdb', 'path' = '%s', 'lookup.refresh-interval' = '100 ms'"
              .formatted(path);
      case BSDB_ASYNC ->
          "'connector' = 'bsdb', 'path' = '%s', 'lookup.async' = 'true', 'lookup.access' = 'mapped'"
              .formatted(path);
      case DISK_READER, DISK_BSDB ->
          "'connector' = 'bsdb', 'path' = '%s', 'lookup.async' = 'true', 'lookup.access' = 'io_uring'"
              .formatted(path);
    };
  }

  /**
   * Duration of one job.
   *
   * @param newVersions that were put in service meanwhile
   */
  record Took(long nanos, int newVersions) {}

  /** Runs the job for so many events. */
  Took run(Variant variant, long events) throws Exception {
    if (variant == Variant.DISK_READER) {
      return new Took(readerAlone(events), 0);
    }
    StreamTableEnvironment tables = environment(RuntimeExecutionMode.STREAMING, events);
    declare(tables, options(variant));
    tables.executeSql("CREATE TABLE target (ok BOOLEAN) WITH ('connector' = 'blackhole')");
    tables.executeSql(
        "CREATE TEMPORARY VIEW s AS SELECT RECORD_KEY(MOD(f0 * %d, %d)) AS k, pt FROM numbers"
            .formatted(STEP, rows));
    CountDownLatch ended = new CountDownLatch(variant == Variant.BSDB_REFRESHED ? 1 : 0);
    FutureTask<Integer> publications = new FutureTask<>(() -> publish(ended));
    new Thread(publications, "publisher").start();
    long millis;
    try {
      millis = millis(tables, "INSERT INTO target " + query(variant));
    } finally {
      ended.countDown();
    }
    long checked = WorkloadFunctions.Check.countAndReset();
    if (checked != events) {
      throw new IllegalStateException("rows: expected=%d actual=%d".formatted(events, checked));
    }
    return new Took(TimeUnit.MILLISECONDS.toNanos(millis), publications.get());
  }

  /** Runs a job to its end, and returns how long it took. */
  static long millis(StreamTableEnvironment tables, String statement) throws Exception {
    return tables
        .executeSql(statement)
        .getJobClient()
        .orElseThrow()
        .getJobExecutionResult()
        .get()
        .getNetRuntime();
  }

  /** Looks the same keys up past the page cache, without Flink; returns nanoseconds. */
  private long readerAlone(long events) throws Exception {
    ReaderOptions options = ReaderOptions.builder().access(Access.IO_URING).build();
    try (AsyncSnapshotReader reader = AsyncSnapshotReader.open(path, options)) {
      var schema = Objects.requireNonNull(reader.manifest().schema());
      RowLayout layout = RowLayout.ofValues(schema);
      KeyWriter writer = KeyWriter.of(schema);
      InFlight lookups = new InFlight(IN_FLIGHT);
      long start = System.nanoTime();
      for (long i = 0; i < events; i++) {
        lookups.begin();
        long key = Workload.keyNumber(i * STEP % rows);
        lookups.endWith(
            reader.get(writer.reset().writeLong(key).toBytes()),
            value -> check(layout, key, value));
      }
      lookups.await();
      long nanos = System.nanoTime() - start;
      String access = reader.metrics().effectiveAccess();
      if (!access.startsWith(Access.IO_URING.name())) {
        Progress.step("io_uring is not available: %s", access);
      }
      return nanos;
    }
  }

  private static void check(RowLayout layout, long key, byte @Nullable [] value) {
    if (value == null
        || new RowView(layout).wrap(value).longAt(0) != key * WorkloadFunctions.FACTOR) {
      throw new IllegalStateException("wrong answer for key " + key);
    }
  }

  private String query(Variant variant) {
    if (variant == Variant.NONE) {
      return "SELECT CHECKED(FALSE, k, k * %d, 'name') FROM s".formatted(WorkloadFunctions.FACTOR);
    }
    String hint =
        "/*+ LOOKUP('table'='d', 'output-mode'='allow_unordered', 'capacity'='%d') */"
            .formatted(IN_FLIGHT);
    return "SELECT %s CHECKED(%s, k, d.a, d.name) FROM s LEFT JOIN d FOR SYSTEM_TIME AS OF s.pt ON d.id = s.k"
        .formatted(variant == Variant.DISK_BSDB ? hint : "", variant.answersRight());
  }

  /** Puts the other one of the two versions in service, again and again; returns how often. */
  private int publish(CountDownLatch ended) throws IOException, InterruptedException {
    Table table = Table.at(path);
    List<String> versions = table.versions();
    int count = 0;
    while (!ended.await(VERSION_SECONDS, TimeUnit.SECONDS)) {
      int current = versions.indexOf(table.currentVersion());
      table.rollback(versions.get(1 - current));
      count++;
    }
    return count;
  }
}
