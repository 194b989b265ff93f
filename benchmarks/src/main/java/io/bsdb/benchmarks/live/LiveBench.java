package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.harness.Workload.Queries;
import io.bsdb.compact.Compactor;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.metrics.ReaderMetrics;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Measures a table with changes beside the same table without. A tenth of the keys is changed, a
 * hundredth per refresh.
 */
public final class LiveBench {
  private static final int ROUNDS = 11;
  private static final int BATCH = 64;
  private static final int DELTAS = 16;

  /** Lookups that are timed while nothing else is done. */
  private static final int QUIET_LOOKUPS = 400_000;

  private final Path table;
  private final Workload workload;
  private final Queries queries;
  private final List<List<byte[]>> batches;
  private final Row figures = new Row("table", "");

  /** Random numbers that do not repeat from one use to the next. */
  private final Random random = new Random(42);

  private LiveBench(Path directory, long records) throws IOException {
    table = directory.resolve("live-" + records);
    workload = new Workload(records);
    queries = workload.queries(Keys.UNIFORM);
    batches = queries.batches(BATCH);
    Directories.delete(table);
    long start = System.nanoTime();
    try (SnapshotWriter writer = SnapshotWriter.create(table, WriterOptions.defaults())) {
      for (long id = 0; id < records; id++) {
        writer.add(workload.key(id), workload.value(id));
      }
      writer.publish();
    }
    Progress.step("built %,d records in %.1f s", records, seconds(start));
  }

  /**
   * Runs the comparison.
   *
   * @param parts {@code lookups}, {@code refresh}, {@code follow} and {@code writes}; none for all
   */
  public static List<Section> run(Path directory, long records, List<String> parts)
      throws Exception {
    LiveBench bench = new LiveBench(directory, records);
    List<Section> sections = new ArrayList<>();
    try {
      if (parts.isEmpty() || parts.contains("lookups")) {
        sections.add(bench.lookups());
      }
      if (parts.isEmpty() || parts.contains("refresh")) {
        bench.refresh();
      }
      if (parts.isEmpty() || parts.contains("follow")) {
        bench.follow();
      }
      if (parts.isEmpty() || parts.contains("writes")) {
        bench.writes();
      }
      sections.add(Section.of("Changes over a table", List.of(), List.of(bench.figures)));
      return sections;
    } finally {
      Directories.delete(bench.table);
    }
  }

  private static double seconds(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  /** Gives random records the values that they have already, so that answers can be checked. */
  private Manifest change(long count) throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(Table.at(table))) {
      for (long i = 0; i < count; i++) {
        long id = random.nextLong(workload.records());
        writer.put(workload.key(id), workload.value(id));
      }
      return writer.publish();
    }
  }

  /** Lookups of the base, and of the same base under changes in one delta, and in many. */
  private Section lookups() throws Exception {
    long changes = workload.records() / 10;
    Path base = version(Table.at(table).requireCurrentVersion());
    Path one = version(change(changes).version());
    Table.at(table).rollback(base.getFileName().toString());
    for (int i = 0; i < DELTAS; i++) {
      change(changes / DELTAS);
    }
    Path many = version(Table.at(table).requireCurrentVersion());
    ReaderOptions options = ReaderOptions.defaults();
    try (SnapshotReader a = SnapshotReader.open(base, options);
        SnapshotReader b = SnapshotReader.open(one, options);
        SnapshotReader c = SnapshotReader.open(many, options)) {
      Map<String, SnapshotReader> readers = new LinkedHashMap<>();
      readers.put("base", a);
      readers.put("%,d changed keys in 1 delta".formatted(changes), b);
      readers.put("in %d deltas".formatted(DELTAS), c);
      Turns<SnapshotReader> turns = new Turns<>(readers);
      List<Kind> kinds = kinds(Objects.requireNonNull(b.changes()));
      for (Kind kind : kinds) {
        turns.measure(kind.name, 2, ROUNDS, (reader, round) -> time(reader, kind));
      }
      Overlay overlay = Objects.requireNonNull(c.changes());
      figures.add(
          "index bytes per changed key", overlay.indexBytes() / (double) overlay.changedKeys());
      absentReads(many);
      Table.at(table).rollback(base.getFileName().toString());
      Table.at(table).prune(1);
      return turns.section(
          "Lookups in changed tables, ns per key", kinds.stream().map(kind -> kind.name).toList());
    }
  }

  private void absentReads(Path version) throws IOException {
    ReaderOptions options = ReaderOptions.builder().access(Access.DIRECT).build();
    try (SnapshotReader reader = SnapshotReader.open(version, options)) {
      int lookups = 0;
      ReaderMetrics metrics = reader.metrics();
      long before = metrics.blockReads();
      for (int i = 0; i < queries.size(); i++) {
        if (!queries.isPresent(i)) {
          queries.check(i, reader.get(queries.key(i)));
          lookups++;
        }
      }
      figures.add(
          "reads per absent key past the page cache",
          (reader.metrics().blockReads() - before) / (double) lookups);
    }
  }

  private Path version(String version) {
    return table.resolve("snapshots").resolve(version);
  }

  /** Lookups of some of the queries. */
  private static final class Kind {
    final String name;

    /** Numbers of queries; none for lookups of all together. */
    final int[] queries;

    Kind(String name, int... queries) {
      this.name = name;
      this.queries = queries;
    }
  }

  /**
   * @param one the changes in one delta
   */
  private List<Kind> kinds(Overlay one) {
    return List.of(
        new Kind("get", numbers(i -> true)),
        new Kind("getAll(64), per key"),
        new Kind("get, absent", numbers(i -> !queries.isPresent(i))),
        new Kind("get, changed in the one delta", numbers(i -> isChanged(one, i))),
        new Kind(
            "get, present and not changed in it",
            numbers(i -> queries.isPresent(i) && !isChanged(one, i))));
  }

  private int[] numbers(IntPredicate wanted) {
    return IntStream.range(0, queries.size()).filter(wanted).toArray();
  }

  private boolean isChanged(Overlay changes, int query) {
    byte[] key = queries.key(query);
    return changes.find(key, KeyHash.hash(key).getMostSignificantBits()) != Overlay.UNCHANGED;
  }

  /** Returns nanoseconds per key. */
  private double time(SnapshotReader reader, Kind kind) throws IOException {
    long start = System.nanoTime();
    if (kind.queries.length == 0) {
      for (int i = 0; i < batches.size(); i++) {
        List<byte[]> values = reader.getAll(batches.get(i));
        for (int j = 0; j < BATCH; j++) {
          queries.check(i * BATCH + j, values.get(j));
        }
      }
      return (System.nanoTime() - start) / (double) queries.size();
    }
    for (int i : kind.queries) {
      queries.check(i, reader.get(queries.key(i)));
    }
    return (System.nanoTime() - start) / (double) kind.queries.length;
  }

  /** One thread that looks keys up until it is closed. */
  private final class Load implements AutoCloseable {
    private final AtomicLong done = new AtomicLong();
    private final long[] latencies = new long[1 << 22];
    private volatile Await awaited = new Await(Long.MAX_VALUE, new CountDownLatch(0));
    private volatile boolean stopped;
    private final Thread thread;

    /** A number of lookups to wait for. */
    private record Await(long lookups, CountDownLatch latch) {}

    Load(TableReader reader) {
      thread =
          new Thread(
              () -> {
                try {
                  for (int i = 0; !stopped; i = (i + 1) & (queries.size() - 1)) {
                    long start = System.nanoTime();
                    queries.check(i, reader.get(queries.key(i)));
                    int count = (int) done.getPlain();
                    if (count < latencies.length) {
                      latencies[count] = System.nanoTime() - start;
                    }
                    done.lazySet(count + 1L);
                    Await now = awaited;
                    if (count >= now.lookups) {
                      now.latch.countDown();
                    }
                  }
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                } finally {
                  awaited.latch.countDown();
                }
              },
              "load");
      thread.start();
    }

    long done() {
      return done.get();
    }

    /** Waits until so many more lookups are done; returns how many there were per second. */
    double rate(long lookups) throws InterruptedException {
      long before = done.get();
      long start = System.nanoTime();
      Await more = new Await(before + lookups, new CountDownLatch(1));
      awaited = more;
      if (thread.isAlive()) {
        more.latch.await();
      }
      return (done.get() - before) / seconds(start);
    }

    long quantile(double quantile) {
      long[] sorted = Arrays.copyOf(latencies, (int) Math.min(latencies.length, done.get()));
      Arrays.sort(sorted);
      return sorted[(int) (quantile * (sorted.length - 1))];
    }

    @Override
    public void close() throws InterruptedException {
      stopped = true;
      thread.join();
    }
  }

  /** Measures how long a follower takes to serve a delta, and how much lookups slow down. */
  private void refresh() throws Exception {
    change(workload.records() / 10);
    long rows = workload.records() / 100;
    try (TableReader reader = TableReader.builder(table).refreshEvery(Duration.ZERO).open()) {
      for (int i = 0; i < queries.size(); i++) {
        queries.check(i, reader.get(queries.key(i)));
      }
      try (Load load = new Load(reader)) {
        for (int round = -5; round < ROUNDS; round++) {
          change(rows);
          double quiet = load.rate(QUIET_LOOKUPS);
          long before = load.done();
          long start = System.nanoTime();
          reader.refresh();
          double took = seconds(start);
          if (round >= 0) {
            figures.add("refresh after a delta, ms", took * 1e3);
            figures.add(
                "a lookup meanwhile, times as long", quiet / ((load.done() - before) / took));
          }
        }
      }
      merges(reader, rows);
    }
  }

  /** Measures how long a follower takes after all segments were merged. */
  private void merges(TableReader reader, long rows) throws Exception {
    try (Load load = new Load(reader)) {
      for (int round = -1; round < ROUNDS; round++) {
        change(rows);
        reader.refresh();
        new Compactor(table).foldFraction(Double.POSITIVE_INFINITY).maxSegments(1).run();
        long start = System.nanoTime();
        reader.refresh();
        if (round >= 0) {
          figures.add("refresh after all segments became one, ms", seconds(start) * 1e3);
        }
      }
    }
  }

  private static long openFiles() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.count();
    }
  }

  private static long mappings() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.contains(".seg") || line.contains(".bsdb"))
        .count();
  }

  /** A thousand deltas that a follower reads under load. */
  private void follow() throws Exception {
    long start;
    long quiet;
    long busy;
    try (TableReader reader =
        TableReader.builder(table).refreshEvery(Duration.ofMillis(20)).open()) {
      for (int i = 0; i < queries.size(); i++) {
        queries.check(i, reader.get(queries.key(i)));
      }
      try (Load load = new Load(reader)) {
        double unused = load.rate(10 * QUIET_LOOKUPS);
        load.close();
        quiet = load.quantile(0.99);
      }
      long files = openFiles();
      long mapped = mappings();
      start = System.nanoTime();
      try (Load load = new Load(reader)) {
        for (int i = 1; i <= 1000; i++) {
          change(100);
          if (i % 100 == 0) {
            new Compactor(table).foldFraction(Double.POSITIVE_INFINITY).run();
            Table.at(table).prune(10);
          }
        }
        load.close();
        busy = load.quantile(0.99);
      }
      reader.refresh();
      new Compactor(table).foldFraction(0).run();
      reader.refresh();
      figures.add("1,000 deltas followed, s", seconds(start));
      figures.add("p99 meanwhile, ns", (double) busy);
      figures.add("p99 meanwhile, times that at rest", busy / (double) quiet);
      figures.add("refreshes that failed", (double) reader.failedRefreshes());
      figures.add("files open, more than before", (double) (openFiles() - files));
      figures.add("mappings, more than before", (double) (mappings() - mapped));
    }
  }

  /** Measures the bytes written while as many rows are changed as the table has. */
  private void writes() throws IOException {
    long rows = workload.records() / 100;
    long before = Machine.writtenBytes();
    int folds = 0;
    for (int i = 0; i < 100; i++) {
      change(rows);
      folds += new Compactor(table).keepHistory(Duration.ZERO).run().foldedPartitions();
      Table.at(table).prune(1);
    }
    long changed = 100 * rows * (Workload.KEY_LENGTH + Workload.VALUE_LENGTH);
    figures.add(
        "written per byte changed, folds at %.2f".formatted(Compactor.FOLD_FRACTION),
        (Machine.writtenBytes() - before) / (double) changed);
    figures.add("folds of partitions", folds);
  }
}
