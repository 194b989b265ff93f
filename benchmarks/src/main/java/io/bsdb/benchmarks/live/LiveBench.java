package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Measure;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.harness.Workers;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.harness.Workload.Queries;
import io.bsdb.format.hash.KeyHash;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.follow.TableReader;
import io.bsdb.reader.options.Access;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.reader.overlay.Overlay;
import io.bsdb.table.Table;
import io.bsdb.writer.DeltaWriter;
import io.bsdb.writer.options.WriterOptions;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Measures a table with changes beside the same table without. A tenth of the keys is changed, a
 * hundredth per refresh.
 */
public final class LiveBench implements Closeable {
  private static final int DELTAS = 16;

  /** Lookups that are timed while nothing else is done. */
  private static final int QUIET_LOOKUPS = 400_000;

  private final Path directory;
  private final Table table;
  private final Workload workload;
  private final Queries queries;
  private final int rounds;

  /** Random numbers that do not repeat from one use to the next. */
  private final Random random = new Random(42);

  public LiveBench(Path data, long records, int rounds) throws IOException {
    this.directory = data.resolve("live-" + records);
    this.table = Table.at(directory);
    this.workload = new Workload(records);
    this.queries = workload.queries(Keys.UNIFORM);
    this.rounds = rounds;
    Directories.delete(directory);
    Progress.step("build %,d records", records);
    workload.publish(directory, WriterOptions.defaults());
  }

  @Override
  public void close() throws IOException {
    Directories.delete(directory);
  }

  /** Gives random records the values that they have already, so that answers can be checked. */
  private String change(long count) throws IOException {
    try (DeltaWriter writer = DeltaWriter.create(table)) {
      for (long i = 0; i < count; i++) {
        long id = random.nextLong(workload.records());
        writer.put(workload.key(id), workload.value(id));
      }
      return writer.publish().version();
    }
  }

  private SnapshotReader open(String version, ReaderOptions options) throws IOException {
    return SnapshotReader.open(directory.resolve("snapshots").resolve(version), options);
  }

  /** Compares lookups of the base, and of the same base under changes in one delta and in many. */
  public List<Section> lookups() throws Exception {
    long changes = workload.records() / 10;
    String base = table.requireCurrentVersion();
    String one = change(changes);
    table.rollback(base);
    for (int i = 0; i < DELTAS; i++) {
      change(changes / DELTAS);
    }
    String many = table.requireCurrentVersion();
    ReaderOptions options = ReaderOptions.defaults();
    try (SnapshotReader a = open(base, options);
        SnapshotReader b = open(one, options);
        SnapshotReader c = open(many, options)) {
      String inMany = "in %d deltas".formatted(DELTAS);
      String inOne = "%,d changed keys in 1 delta".formatted(changes);
      Turns<SnapshotReader> turns =
          new Turns<>(
              List.of(a, b, c),
              reader -> new Row(reader == a ? "base" : reader == b ? inOne : inMany));
      Overlay oneDelta = Objects.requireNonNull(b.changes());
      IntPredicate changed = i -> isChanged(oneDelta, i);
      time(turns, "get", i -> true);
      List<List<byte[]>> batches = queries.batches(Measure.BATCH);
      turns.run(2, rounds, (reader, round, row) -> row.add("getAll(64)", getAll(reader, batches)));
      time(turns, "get, absent", i -> !queries.isPresent(i));
      time(turns, "get, changed in the one delta", changed);
      time(turns, "get, present and not changed in it", changed.negate().and(queries::isPresent));
      Overlay overlay = Objects.requireNonNull(c.changes());
      Row figures = new Row(inMany);
      figures.add(
          "index bytes per changed key", overlay.indexBytes() / (double) overlay.changedKeys());
      figures.add("reads per absent key past the page cache", readsPerAbsentKey(many));
      return List.of(
          turns.section("Lookups in changed tables, ns per key"),
          Section.of("Changes over a table", List.of(), List.of(figures)));
    }
  }

  private double readsPerAbsentKey(String version) throws IOException {
    try (SnapshotReader reader =
        open(version, ReaderOptions.builder().access(Access.DIRECT).build())) {
      int[] absent = numbers(i -> !queries.isPresent(i));
      get(reader, absent);
      return reader.metrics().blockReads() / (double) absent.length;
    }
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
      throws Exception {
    int[] numbers = numbers(wanted);
    turns.run(2, rounds, (reader, round, row) -> row.add(figure, get(reader, numbers)));
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
  private double getAll(SnapshotReader reader, List<List<byte[]>> batches) throws IOException {
    long start = System.nanoTime();
    int query = 0;
    for (List<byte[]> batch : batches) {
      for (byte[] value : reader.getAll(batch)) {
        queries.check(query++, value);
      }
    }
    return (System.nanoTime() - start) / (double) query;
  }

  /** Measures how long a follower takes to serve a delta, and how much lookups slow down. */
  public List<Section> refresh() throws Exception {
    Row figures = new Row("table");
    change(workload.records() / 10);
    try (TableReader reader = TableReader.builder(directory).refreshEvery(Duration.ZERO).open()) {
      AtomicLong done = new AtomicLong();
      Workers.run(
          2,
          thread -> {
            try {
              if (thread == 0) {
                refresh(reader, done, figures);
              } else {
                lookUp(reader, done);
              }
              return 0;
            } finally {
              done.set(Long.MIN_VALUE); // ends the other thread as well
            }
          });
    }
    return List.of(Section.of("Refreshes", List.of(), List.of(figures)));
  }

  /** Looks keys up, and counts, until the count is below 0. */
  private void lookUp(TableReader reader, AtomicLong done) throws IOException {
    for (int i = 0; done.get() >= 0; i = (i + 1) & (queries.size() - 1)) {
      queries.check(i, reader.get(queries.key(i)));
      done.getAndIncrement();
    }
  }

  /** Waits for a number of lookups, unless these have ended. */
  private static void await(AtomicLong done, long count) throws InterruptedException {
    while (done.get() >= 0 && done.get() < count) {
      Thread.sleep(1);
    }
  }

  private void refresh(TableReader reader, AtomicLong done, Row figures) throws Exception {
    await(done, queries.size());
    for (int round = -5; round < rounds; round++) {
      change(workload.records() / 100);
      long before = done.get();
      long start = System.nanoTime();
      await(done, before + QUIET_LOOKUPS);
      double quiet = (done.get() - before) / (double) (System.nanoTime() - start);
      before = done.get();
      start = System.nanoTime();
      reader.refresh();
      double nanos = System.nanoTime() - start;
      await(done, before + 1); // a short refresh may leave the other thread no processor
      double meanwhile = (done.get() - before) / (double) (System.nanoTime() - start);
      if (round >= 0) {
        figures.add("refresh after a delta, ms", nanos / 1e6);
        figures.add("a lookup meanwhile, times as long", quiet / meanwhile);
      }
    }
  }
}
