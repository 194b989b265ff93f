package io.bsdb.benchmarks.live;

import com.fasterxml.jackson.core.type.TypeReference;
import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.live.Durability;
import io.bsdb.live.WritableTable;
import io.bsdb.live.WriteBatch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
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
  private static final String P99 = "p99, ns";
  private static final String LMDB = "LMDB";
  private static final String ROCKSDB_BLOB = "ROCKSDB_BLOB";
  private static final String BSDB = "BSDB";
  private static final TypeReference<Map<String, Double>> FIGURES = new TypeReference<>() {};

  /** Options of each store's process: equal memory, allocated at the start. */
  private static final List<String> OPTIONS = List.of("-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch");

  private final Path directory;
  private final double scale;
  private final double settle;
  private final int rounds;
  private final List<Section> sections = new ArrayList<>();

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
  public static List<Section> run(
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
    return bench.sections;
  }

  private interface Part {
    void run() throws Exception;
  }

  /** Runs a task on a store; returns figures by name. */
  private interface Task {
    Map<String, Double> run(String store) throws Exception;
  }

  /** Runs a task on stores in turn. */
  private void compare(String title, List<String> stores, Task task) throws Exception {
    Map<String, Row> rows = new LinkedHashMap<>();
    stores.forEach(store -> rows.put(store, new Row(store, "")));
    for (int round = 0; round < rounds; round++) {
      for (Row row : rows.values()) {
        task.run(row.name()).forEach(row::add);
      }
    }
    Row first = rows.values().iterator().next();
    sections.add(
        Section.of(title, List.copyOf(first.measures().keySet()), List.copyOf(rows.values())));
  }

  private static List<String> stores(Durability durability) {
    return StoreKind.all().stream()
        .map(StoreKind::name)
        .filter(name -> durability == Durability.OS || !name.equals("HALODB"))
        .filter(name -> !name.equals(ROCKSDB_BLOB))
        .toList();
  }

  private static List<String> without(String store, List<String> stores) {
    return stores.stream().filter(name -> !name.equals(store)).toList();
  }

  private static List<String> withoutLmdb() {
    return without(LMDB, stores(Durability.OS));
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
      compare(
          "%s, %d threads".formatted(durability, count),
          count == 64 ? stores(durability) : without(LMDB, stores(durability)),
          store -> task("puts", store, RECORDS, durability, count, SECONDS));
    }
  }

  private void shapes() throws Exception {
    compare(
        "shapes",
        withoutLmdb(),
        store ->
            JavaProcess.call(
                FIGURES, OPTIONS, StoreShape.class, store, path(store), SHAPE_RECORDS, SECONDS));
  }

  private void killed() throws Exception {
    for (String store : withoutLmdb()) {
      task("fill", store, BASE_RECORDS);
      task("change", store, BASE_RECORDS, BASE_RECORDS / 10);
    }
    compare("open after a kill", withoutLmdb(), store -> task("open", store, BASE_RECORDS));
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

  /** YCSB's core workloads; a heap stands for the time that YCSB itself takes. */
  private void ycsb() throws Exception {
    int records = (int) (scale * YCSB_RECORDS);
    for (Durability durability : List.of(Durability.OS, Durability.COMMIT)) {
      for (int threads : new int[] {1, 8}) {
        compare(
            "YCSB, %s, %,d records, threads %d".formatted(durability, records, threads),
            List.of(BSDB, "ROCKSDB", StoreYcsb.HEAP),
            store ->
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
  }

  /** Fewer changes where each waits for the disk. */
  private void writes(Durability durability, int length) throws Exception {
    boolean waits = durability == Durability.COMMIT;
    int records = (int) (scale * WRITES_RECORDS * (length > 1024 || waits ? 1 : 8));
    int updates = waits ? records : records * UPDATES_PER_RECORD;
    List<String> stores = new ArrayList<>(without(LMDB, stores(durability)));
    stores.add(ROCKSDB_BLOB);
    compare(
        "%s, %,d records of %,d bytes, %,d updates".formatted(durability, records, length, updates),
        stores,
        store ->
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

  /** Latencies of one thread's reads, with folds and without. */
  private void fold() throws Exception {
    Path path = path("fold");
    Workload workload = new Workload(2L * RECORDS);
    Row quiet = new Row("at rest", "");
    Row folding = new Row("while everything is folded", "");
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
        long end = System.nanoTime() + (long) (SECONDS * 1e9);
        double alone = p99(table, workload, () -> System.nanoTime() >= end);
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
        double busy = p99(table, workload, fold::isDone);
        fold.get();
        if (round >= 0) {
          folding.add(P99, busy);
          quiet.add(P99, alone);
        }
      }
    } finally {
      background.shutdown();
    }
    Directories.delete(path);
    sections.add(Section.of("Reads of one thread", List.of(P99), List.of(quiet, folding)));
  }

  private static double p99(WritableTable table, Workload workload, BooleanSupplier ended)
      throws Exception {
    Histogram latencies = new Histogram(TimeUnit.SECONDS.toNanos(10), 3);
    SplittableRandom random = new SplittableRandom(6);
    while (!ended.getAsBoolean()) {
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
