package io.bsdb.benchmarks.live;

import com.fasterxml.jackson.core.type.TypeReference;
import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.live.Durability;
import io.bsdb.live.WritableTable;
import io.bsdb.live.WriteBatch;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Compares a {@link WritableTable} with other stores that one process writes. Each store has a
 * process of its own, and they take turns; medians.
 */
public final class DurableBench {
  private static final int RECORDS = 1_000_000;
  private static final int BASE_RECORDS = 10 * RECORDS;
  private static final int SHAPE_RECORDS = RECORDS / 2;
  private static final int WRITES_RECORDS = 300_000;
  private static final int YCSB_RECORDS = 50_000;
  private static final int UPDATES_PER_RECORD = 8;
  private static final double SECONDS = 3;
  private static final String LMDB = "LMDB";
  private static final String ROCKSDB_BLOB = "ROCKSDB_BLOB";
  private static final String BSDB = "BSDB";
  private static final PrintStream OUT = System.out;
  private static final TypeReference<Map<String, Double>> FIGURES = new TypeReference<>() {};

  /** Options of each store's process: equal memory, allocated at the start. */
  private static final List<String> OPTIONS = List.of("-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch");

  private final Path directory;
  private final double scale;
  private final double settle;
  private final int rounds;

  private DurableBench(Path directory, double scale, double settle, int rounds) {
    this.directory = directory;
    this.scale = scale;
    this.settle = settle;
    this.rounds = rounds;
  }

  /**
   * Runs the comparison.
   *
   * @param scale factor of the records of {@code ycsb} and {@code writes}
   * @param settle seconds for which a store of {@code writes} may work on after its last change
   * @param parts of it; none for those that take minutes
   */
  public static void run(
      Path directory, double scale, double settle, int rounds, List<String> parts)
      throws Exception {
    DurableBench bench =
        new DurableBench(Files.createDirectories(directory), scale, settle, rounds);
    Map<String, Part> all = new LinkedHashMap<>();
    all.put("sync", () -> bench.puts(Durability.COMMIT, 1, 16, 64));
    all.put("unsynced", () -> bench.puts(Durability.OS, 1, 16));
    all.put("shapes", bench::shapes);
    all.put("killed", bench::killed);
    all.put("fold", bench::fold);
    List<String> byDefault = List.copyOf(all.keySet());
    all.put("ycsb", bench::ycsb);
    all.put("writes", bench::writes);
    for (String part : parts.isEmpty() ? byDefault : parts) {
      Part chosen = all.get(part);
      if (chosen == null) {
        throw new IllegalArgumentException(
            "part: expected one of " + all.keySet() + " actual=" + part);
      }
      chosen.run();
    }
  }

  private interface Part {
    void run() throws Exception;
  }

  private static void say(String format, Object... arguments) {
    OUT.printf(Locale.ROOT, format + "%n", arguments);
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }

  /** Figures of one store and one setting, round by round. */
  private static final class Rounds {
    private final Map<String, Map<String, List<Double>>> values = new LinkedHashMap<>();

    void add(String store, Map<String, Double> figures) {
      figures.forEach(
          (name, value) ->
              values
                  .computeIfAbsent(name, absent -> new LinkedHashMap<>())
                  .computeIfAbsent(store, absent -> new ArrayList<>())
                  .add(value));
    }

    /** Prints medians, and how many times that of bsdb each is. */
    void print(String what) {
      new TreeMap<>(values)
          .forEach(
              (name, stores) -> {
                double own = median(stores.getOrDefault(BSDB, List.of(Double.NaN)));
                stores.forEach(
                    (store, rounds) ->
                        say(
                            "%s, %s: %-12s %s; bsdb / this %.2f; rounds %s",
                            what,
                            name,
                            store,
                            number(median(rounds)),
                            own / median(rounds),
                            rounds.stream().map(Rounds::number).toList()));
              });
    }

    private static String number(double value) {
      return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%,.0f", value);
    }
  }

  private static List<String> stores(Durability durability) {
    return StoreKind.all().stream()
        .map(StoreKind::name)
        .filter(name -> durability == Durability.OS || !name.equals("HALODB"))
        .filter(name -> !name.equals(ROCKSDB_BLOB))
        .toList();
  }

  private static List<String> withoutLmdb() {
    return stores(Durability.OS).stream().filter(name -> !name.equals(LMDB)).toList();
  }

  private Path path(String store) {
    return directory.resolve("durable-" + store);
  }

  private Map<String, Double> task(String task, String store, int records, Object... more)
      throws Exception {
    List<Object> arguments = new ArrayList<>(List.of(task, store, path(store), records));
    arguments.addAll(List.of(more));
    return JavaProcess.call(FIGURES, OPTIONS, StoreTask.class, arguments.toArray());
  }

  private void puts(Durability durability, int... threads) throws Exception {
    for (int count : threads) {
      Rounds figures = new Rounds();
      for (int round = 0; round < rounds; round++) {
        for (String store : stores(durability)) {
          if (!store.equals(LMDB) || count == 64) {
            figures.add(store, task("puts", store, RECORDS, durability, count, SECONDS));
          }
        }
      }
      figures.print("%s, %d threads".formatted(durability, count));
    }
  }

  private void shapes() throws Exception {
    Rounds figures = new Rounds();
    for (int round = 0; round < rounds; round++) {
      for (String store : withoutLmdb()) {
        figures.add(
            store,
            JavaProcess.call(
                FIGURES, OPTIONS, StoreShape.class, store, path(store), SHAPE_RECORDS, SECONDS));
      }
    }
    figures.print("shapes");
  }

  private void killed() throws Exception {
    Rounds figures = new Rounds();
    for (String store : withoutLmdb()) {
      task("fill", store, BASE_RECORDS);
      task("change", store, BASE_RECORDS, BASE_RECORDS / 10);
    }
    for (int round = 0; round < rounds; round++) {
      for (String store : withoutLmdb()) {
        figures.add(store, task("open", store, BASE_RECORDS));
      }
    }
    figures.print("open after a kill");
    for (String store : withoutLmdb()) {
      Directories.delete(path(store));
    }
  }

  private void writes() throws Exception {
    for (Durability durability : List.of(Durability.OS, Durability.COMMIT)) {
      for (int length : new int[] {8 + 1024, 116}) {
        writes(durability, length);
      }
    }
  }

  /** YCSB's core workloads. */
  private void ycsb() throws Exception {
    int records = (int) (scale * YCSB_RECORDS);
    for (Durability durability : List.of(Durability.OS, Durability.COMMIT)) {
      for (int threads : new int[] {1, 8}) {
        Rounds figures = new Rounds();
        for (int round = 0; round < rounds; round++) {
          for (String store : List.of(BSDB, "ROCKSDB")) {
            figures.add(
                store,
                JavaProcess.call(
                    FIGURES,
                    OPTIONS,
                    StoreYcsb.class,
                    store,
                    path(store),
                    durability,
                    threads,
                    records,
                    1));
          }
        }
        figures.print("YCSB, %s, %,d records, threads %d".formatted(durability, records, threads));
      }
    }
  }

  /** Fewer changes where each waits for the disk. */
  private void writes(Durability durability, int length) throws Exception {
    boolean waits = durability == Durability.COMMIT;
    int records = (int) (scale * WRITES_RECORDS * (length > 1024 || waits ? 1 : 8));
    int updates = waits ? records : records * UPDATES_PER_RECORD;
    List<String> stores = new ArrayList<>(stores(durability));
    stores.remove(LMDB);
    stores.add(ROCKSDB_BLOB);
    Rounds figures = new Rounds();
    for (int round = 0; round < rounds; round++) {
      for (String store : stores) {
        figures.add(
            store,
            JavaProcess.call(
                FIGURES,
                OPTIONS,
                StoreWrites.class,
                store,
                path(store),
                durability,
                records,
                length,
                updates,
                settle));
      }
    }
    figures.print(
        "%s, %,d records of %,d bytes, %,d updates"
            .formatted(durability, records, length, updates));
  }

  /** Latencies of one thread's reads, with folds and without. */
  private void fold() throws Exception {
    Path path = path("fold");
    Workload workload = new Workload(2L * RECORDS);
    List<Double> quiet = new ArrayList<>();
    List<Double> folding = new ArrayList<>();
    Directories.delete(path);
    ExecutorService background =
        Executors.newSingleThreadExecutor(task -> new Thread(task, "folds"));
    try (WritableTable table = WritableTable.open(path)) {
      WriteBatch batch = new WriteBatch();
      for (long id = 0; id < workload.records(); id++) {
        batch.put(workload.key(id), workload.value(id));
        if (id % 1000 == 999) {
          table.write(batch);
          batch.clear();
        }
      }
      table.compact();
      for (int round = -1; round < rounds; round++) {
        Future<?> rest =
            background.submit(
                () -> {
                  TimeUnit.NANOSECONDS.sleep((long) (SECONDS * 1e9));
                  return null;
                });
        double alone = p99(table, workload, rest);
        table.pauseCompaction();
        for (long id = 0; id < workload.records(); id += 10) {
          batch.put(workload.key(id), workload.value(id));
        }
        table.write(batch);
        batch.clear();
        table.publish();
        table.resumeCompaction();
        Future<?> fold =
            background.submit(
                () -> {
                  table.compact();
                  return null;
                });
        double busy = p99(table, workload, fold);
        fold.get();
        if (round >= 0) {
          folding.add(busy);
          quiet.add(alone);
        }
      }
    } finally {
      background.shutdown();
    }
    Directories.delete(path);
    say(
        "p99 of reads: %,.0f ns, while everything is folded %,.0f ns, %.2f times; rounds %s %s",
        median(quiet), median(folding), median(folding) / median(quiet), quiet, folding);
  }

  private static double p99(WritableTable table, Workload workload, Future<?> other)
      throws Exception {
    Histogram latencies = new Histogram(TimeUnit.SECONDS.toNanos(10), 3);
    SplittableRandom random = new SplittableRandom(6);
    while (!other.isDone()) {
      long id = random.nextLong(workload.records());
      byte[] key = workload.key(id);
      long start = System.nanoTime();
      byte[] value = table.get(key);
      latencies.recordValue(System.nanoTime() - start);
      if (!Arrays.equals(value, workload.value(id))) {
        throw new IllegalStateException("wrong answer: record=" + id);
      }
    }
    return latencies.getValueAtPercentile(99);
  }
}
