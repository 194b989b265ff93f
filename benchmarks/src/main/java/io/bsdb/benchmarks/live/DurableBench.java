package io.bsdb.benchmarks.live;

import com.fasterxml.jackson.core.type.TypeReference;
import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.live.StoreTasks.Target;
import io.bsdb.live.Durability;
import io.bsdb.live.WritableTable;
import io.bsdb.live.WriteBatch;
import io.bsdb.writer.options.WriterOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * Compares a {@link WritableTable} with other stores that one process writes. Each store has a
 * process of its own, and they take turns; medians.
 *
 * @param scale factor of the records of {@code ycsb} and {@code writes}
 * @param settle seconds for which a store of {@code writes} may work on after its last change
 */
public record DurableBench(Path directory, double scale, double settle, int rounds) {
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
  private static final List<Durability> OS_AND_DISK = List.of(Durability.OS, Durability.COMMIT);

  /** Options of each store's process: equal memory, allocated at the start. */
  private static final List<String> OPTIONS = List.of("-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch");

  /** Runs parts of the comparison. */
  public List<Section> run(List<String> parts) throws Exception {
    Files.createDirectories(directory);
    List<Section> sections = new ArrayList<>();
    for (String part : parts) {
      switch (part) {
        case "sync" -> puts(Durability.COMMIT, sections, 1, 16, 64);
        case "unsynced" -> puts(Durability.OS, sections, 1, 16);
        case "shapes" -> sections.add(shapes());
        case "killed" -> sections.add(killed());
        case "fold" -> sections.add(fold());
        case "ycsb" -> ycsb(sections);
        case "writes" -> writes(sections);
        default -> throw new IllegalArgumentException("no such part: " + part);
      }
    }
    return sections;
  }

  /** Runs tasks on stores in turn, each in a process of its own. */
  private Section compare(
      String title, List<String> stores, Function<String, Callable<Map<String, Double>>> task)
      throws Exception {
    Turns<String> turns = Turns.of(stores);
    turns.run(0, rounds, (store, round, row) -> runTask(task.apply(store)).forEach(row::add));
    return turns.section(title);
  }

  private static Map<String, Double> runTask(Callable<Map<String, Double>> task) throws Exception {
    return JavaProcess.call(new TypeReference<>() {}, OPTIONS, task);
  }

  private static List<String> stores(Durability durability, String... without) {
    return StoreKind.all().stream()
        .map(StoreKind::name)
        .filter(name -> durability == Durability.OS || !name.equals("HALODB"))
        .filter(name -> !List.of(without).contains(name))
        .toList();
  }

  private Target target(String store, int records) {
    return new Target(store, directory.resolve("durable-" + store), records);
  }

  private void puts(Durability durability, List<Section> sections, int... threads)
      throws Exception {
    for (int count : threads) {
      sections.add(
          compare(
              "%s, %d threads".formatted(durability, count),
              stores(durability, ROCKSDB_BLOB, count == 64 ? "" : LMDB),
              store -> new StoreTasks.Puts(target(store, RECORDS), durability, count, SECONDS)));
    }
  }

  private Section shapes() throws Exception {
    return compare(
        "shapes",
        stores(Durability.OS, ROCKSDB_BLOB, LMDB),
        store -> new StoreTasks.Shapes(target(store, SHAPE_RECORDS), SECONDS));
  }

  private Section killed() throws Exception {
    List<String> stores = stores(Durability.OS, ROCKSDB_BLOB, LMDB);
    for (String store : stores) {
      runTask(new StoreTasks.Change(target(store, BASE_RECORDS), BASE_RECORDS / 10));
    }
    Section opened =
        compare(
            "open after a kill", stores, store -> new StoreTasks.Open(target(store, BASE_RECORDS)));
    for (String store : stores) {
      Directories.delete(target(store, BASE_RECORDS).directory());
    }
    return opened;
  }

  /** YCSB's core workloads; a heap stands for the time that YCSB itself takes. */
  private void ycsb(List<Section> sections) throws Exception {
    int records = (int) (scale * YCSB_RECORDS);
    for (Durability durability : OS_AND_DISK) {
      for (int threads : new int[] {1, 8}) {
        sections.add(
            compare(
                "YCSB, %s, %,d records, threads %d".formatted(durability, records, threads),
                List.of("BSDB", "ROCKSDB", StoreYcsb.HEAP),
                store -> new StoreYcsb(target(store, records), durability, threads, 1)));
      }
    }
  }

  /** Fewer changes where each waits for the disk. */
  private void writes(List<Section> sections) throws Exception {
    for (Durability durability : OS_AND_DISK) {
      for (int length : new int[] {8 + 1024, 116}) {
        boolean waits = durability == Durability.COMMIT;
        int records = (int) (scale * WRITES_RECORDS * (length > 1024 || waits ? 1 : 8));
        int updates = waits ? records : records * UPDATES_PER_RECORD;
        sections.add(
            compare(
                "%s, %,d records of %,d bytes, %,d updates"
                    .formatted(durability, records, length, updates),
                stores(durability, LMDB),
                store ->
                    new StoreTasks.Writes(
                        target(store, records), durability, length, updates, settle)));
      }
    }
  }

  /** Latencies of one thread's reads, with folds and without. */
  private Section fold() throws Exception {
    Path path = directory.resolve("durable-fold");
    Workload workload = new Workload(2L * RECORDS);
    Row quiet = new Row("at rest", "");
    Row folding = new Row("while everything is folded", "");
    Directories.delete(path);
    workload.publish(path, WriterOptions.defaults());
    ExecutorService background =
        Executors.newSingleThreadExecutor(task -> new Thread(task, "folds"));
    try (WritableTable table = WritableTable.open(path)) {
      WriteBatch batch = new WriteBatch();
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
    return Section.of("Reads of one thread", List.of(quiet, folding));
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
