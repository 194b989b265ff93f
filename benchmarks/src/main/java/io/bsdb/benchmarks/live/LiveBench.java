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
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.Table;
import io.bsdb.table.manifest.Manifest;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

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
    Progress.step("build %,d records", records);
    workload.publish(table, WriterOptions.defaults());
  }

  /** Runs parts of the comparison. */
  public static List<Section> run(Path directory, long records, List<String> parts)
      throws Exception {
    LiveBench bench = new LiveBench(directory, records);
    List<Section> sections = new ArrayList<>();
    try {
      for (String part : parts) {
        switch (part) {
          case "lookups" -> sections.add(bench.lookups());
          case "refresh" -> bench.refresh();
          case "follow" -> bench.follow();
          case "writes" -> bench.writes();
          default -> throw new IllegalArgumentException("no such part: " + part);
        }
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
      Turns<SnapshotReader> turns = Turns.of(readers);
      Overlay oneDelta = Objects.requireNonNull(b.changes());
      time(turns, "get", i -> true);
      turns.run(2, ROUNDS, (reader, round, row) -> row.add("getAll(64), per key", getAll(reader)));
      time(turns, "get, absent", i -> !queries.isPresent(i));
      time(turns, "get, changed in the one delta", i -> isChanged(oneDelta, i));
      time(
          turns,
          "get, present and not changed in it",
          i -> queries.isPresent(i) && !isChanged(oneDelta, i));
      Overlay overlay = Objects.requireNonNull(c.changes());
      figures.add(
          "index bytes per changed key", overlay.indexBytes() / (double) overlay.changedKeys());
      absentReads(many);
      Table.at(table).rollback(base.getFileName().toString());
      Table.at(table).prune(1);
      return turns.section("Lookups in changed tables, ns per key");
    }
  }

  private void absentReads(Path version) throws IOException {
    ReaderOptions options = ReaderOptions.builder().access(Access.DIRECT).build();
    try (SnapshotReader reader = SnapshotReader.open(version, options)) {
      int[] absent = numbers(i -> !queries.isPresent(i));
      long before = reader.metrics().blockReads();
      get(reader, absent);
      figures.add(
          "reads per absent key past the page cache",
          (reader.metrics().blockReads() - before) / (double) absent.length);
    }
  }

  private Path version(String version) {
    return table.resolve("snapshots").resolve(version);
  }

  private int[] numbers(IntPredicate wanted) {
    return IntStream.range(0, queries.size()).filter(wanted).toArray();
  }

  private boolean isChanged(Overlay changes, int query) {
    byte[] key = queries.key(query);
    return changes.find(key, KeyHash.hash(key).getMostSignificantBits()) != Overlay.UNCHANGED;
  }

  /** Times lookups of some of the queries. */
  private void time(Turns<SnapshotReader> turns, String figure, IntPredicate wanted)
      throws IOException {
    int[] numbers = numbers(wanted);
    turns.run(2, ROUNDS, (reader, round, row) -> row.add(figure, get(reader, numbers)));
  }

  /** Returns nanoseconds per key. */
  private double get(SnapshotReader reader, int[] numbers) throws IOException {
    long start = System.nanoTime();
    for (int i : numbers) {
      queries.check(i, reader.get(queries.key(i)));
    }
    return (System.nanoTime() - start) / (double) numbers.length;
  }

  /** Returns nanoseconds per key. */
  private double getAll(SnapshotReader reader) throws IOException {
    long start = System.nanoTime();
    for (int i = 0; i < batches.size(); i++) {
      List<byte[]> values = reader.getAll(batches.get(i));
      for (int j = 0; j < BATCH; j++) {
        queries.check(i * BATCH + j, values.get(j));
      }
    }
    return (System.nanoTime() - start) / (double) queries.size();
  }

  /** One thread that looks keys up until it is closed. */
  private final class Load implements AutoCloseable {
    private final TableReader reader;
    private final AtomicLong done = new AtomicLong();
    private final Histogram latencies = new Histogram(3);
    private final Thread thread = new Thread(this::run, "load");
    private volatile boolean stopped;

    Load(TableReader reader) {
      this.reader = reader;
      thread.start();
    }

    private void run() {
      try {
        for (int i = 0; !stopped; i = (i + 1) & (queries.size() - 1)) {
          long start = System.nanoTime();
          queries.check(i, reader.get(queries.key(i)));
          latencies.recordValue(System.nanoTime() - start);
          done.lazySet(done.getPlain() + 1);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Waits until so many more lookups are done; returns how many there were per second. */
    double rate(long lookups) throws InterruptedException {
      long before = done.get();
      long start = System.nanoTime();
      while (thread.isAlive() && done.get() < before + lookups) {
        Thread.sleep(1);
      }
      return (done.get() - before) / seconds(start);
    }

    /** Ends the load, and returns nanoseconds. */
    double p99() throws InterruptedException {
      close();
      return latencies.getValueAtPercentile(99);
    }

    @Override
    public void close() throws InterruptedException {
      stopped = true;
      thread.join();
    }
  }

  /** Opens a follower, and looks everything up once. */
  private TableReader follow(Duration interval) throws IOException {
    TableReader reader = TableReader.builder(table).refreshEvery(interval).open();
    for (int i = 0; i < queries.size(); i++) {
      queries.check(i, reader.get(queries.key(i)));
    }
    return reader;
  }

  /** Measures how long a follower takes to serve a delta, and how much lookups slow down. */
  private void refresh() throws Exception {
    change(workload.records() / 10);
    long rows = workload.records() / 100;
    try (TableReader reader = follow(Duration.ZERO)) {
      try (Load load = new Load(reader)) {
        for (int round = -5; round < ROUNDS; round++) {
          change(rows);
          double quiet = load.rate(QUIET_LOOKUPS);
          long before = load.done.get();
          long start = System.nanoTime();
          reader.refresh();
          double took = seconds(start);
          if (round >= 0) {
            double busy = (load.done.get() - before) / took;
            figures.add("refresh after a delta, ms", took * 1e3);
            figures.add("a lookup meanwhile, times as long", quiet / busy);
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
    try (TableReader reader = follow(Duration.ofMillis(20))) {
      double quiet;
      try (Load load = new Load(reader)) {
        double unused = load.rate(10 * QUIET_LOOKUPS);
        quiet = load.p99();
      }
      long files = openFiles();
      long mapped = mappings();
      long start = System.nanoTime();
      double busy;
      try (Load load = new Load(reader)) {
        for (int i = 1; i <= 1000; i++) {
          change(100);
          if (i % 100 == 0) {
            new Compactor(table).foldFraction(Double.POSITIVE_INFINITY).run();
            Table.at(table).prune(10);
          }
        }
        busy = load.p99();
      }
      reader.refresh();
      new Compactor(table).foldFraction(0).run();
      reader.refresh();
      figures.add("1,000 deltas followed, s", seconds(start));
      figures.add("p99 meanwhile, ns", busy);
      figures.add("p99 meanwhile, times that at rest", busy / quiet);
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
