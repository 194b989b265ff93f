package io.bsdb.benchmarks.flink;

import io.bsdb.benchmarks.harness.InFlight;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
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
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
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

  /** Creates a session with a view {@code s} of events that have keys {@code k} of the table. */
  static StreamTableEnvironment session(RuntimeExecutionMode mode, long rows, long events) {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
    StreamTableEnvironment tables = Jobs.session(env, mode, 1, events);
    tables.createTemporarySystemFunction("RECORD_KEY", WorkloadFunctions.KeyOf.class);
    tables.createTemporarySystemFunction("RECORD_VALUE", WorkloadFunctions.ValueOf.class);
    tables.createTemporarySystemFunction("CHECKED", WorkloadFunctions.Check.class);
    tables.executeSql(
        "CREATE TEMPORARY VIEW s AS SELECT RECORD_KEY(MOD(f0 * %d, %d)) AS k, pt FROM numbers"
            .formatted(Jobs.STEP, rows));
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
      StreamTableEnvironment tables = session(RuntimeExecutionMode.BATCH, rows, rows);
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
   * Runs the job for so many events, and returns seconds.
   *
   * @param row for the number of new versions that were put in service meanwhile
   */
  double run(Variant variant, long events, Row row) throws Exception {
    if (variant == Variant.DISK_READER) {
      return readerAlone(events);
    }
    StreamTableEnvironment tables = session(RuntimeExecutionMode.STREAMING, rows, events);
    declare(tables, options(variant));
    tables.executeSql("CREATE TABLE target (ok BOOLEAN) WITH ('connector' = 'blackhole')");
    CountDownLatch ended = new CountDownLatch(1);
    FutureTask<Integer> publications = new FutureTask<>(() -> publish(ended));
    if (variant == Variant.BSDB_REFRESHED) {
      new Thread(publications, "publisher").start();
    }
    double seconds;
    try {
      seconds = Jobs.run(tables, "INSERT INTO target " + query(variant));
    } finally {
      ended.countDown();
    }
    if (variant == Variant.BSDB_REFRESHED) {
      row.add("new versions", publications.get());
    }
    long checked = WorkloadFunctions.Check.countAndReset();
    if (checked != events) {
      throw new IllegalStateException("rows: expected=%d actual=%d".formatted(events, checked));
    }
    return seconds;
  }

  /** Looks the same keys up past the page cache, without Flink; returns seconds. */
  private double readerAlone(long events) throws Exception {
    ReaderOptions options = ReaderOptions.builder().access(Access.IO_URING).build();
    try (AsyncSnapshotReader reader = AsyncSnapshotReader.open(path, options)) {
      var schema = Objects.requireNonNull(reader.manifest().schema());
      RowLayout layout = RowLayout.ofValues(schema);
      KeyWriter writer = KeyWriter.of(schema);
      InFlight lookups = new InFlight(IN_FLIGHT);
      long start = System.nanoTime();
      for (long i = 0; i < events; i++) {
        lookups.begin();
        long key = Workload.keyNumber(i * Jobs.STEP % rows);
        lookups.endWith(
            reader.get(writer.reset().writeLong(key).toBytes()),
            value -> check(layout, key, value));
      }
      lookups.await();
      double seconds = (System.nanoTime() - start) / 1e9;
      String access = reader.metrics().effectiveAccess();
      if (!access.startsWith(Access.IO_URING.name())) {
        Progress.step("io_uring is not available: %s", access);
      }
      return seconds;
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
