package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.peers.Store;
import io.bsdb.live.Durability;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.options.WriterOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A program that measures one task on one store: {@code StoreTask TASK KIND DIRECTORY RECORDS …}.
 * Answers with figures by name.
 */
final class StoreTask {
  private static final double WARM_UP = 1.5;
  private static final int CHECKS = 1_000;
  private static final int WARM_UP_RECORDS = 20_000;

  private final StoreKind kind;
  private final Path directory;
  private final Workload workload;
  private final int records;
  private final Map<String, Double> figures = new TreeMap<>();

  private StoreTask(StoreKind kind, Path directory, int records) {
    this.kind = kind;
    this.directory = directory;
    this.records = records;
    this.workload = new Workload(records);
  }

  public static void main(String[] arguments) throws Exception {
    StoreTask task =
        new StoreTask(
            StoreKind.named(arguments[1]), Path.of(arguments[2]), Integer.parseInt(arguments[3]));
    switch (arguments[0]) {
      case "puts" ->
          task.puts(
              Durability.valueOf(arguments[4]),
              Integer.parseInt(arguments[5]),
              Double.parseDouble(arguments[6]));
      case "fill" -> task.fill();
      case "change" -> task.changeAndHalt(Integer.parseInt(arguments[4]), arguments);
      case "open" -> task.openAndHalt(arguments);
      default -> throw new IllegalArgumentException(arguments[0]);
    }
    JavaProcess.answer(arguments, task.figures);
  }

  private Store open(Durability durability) throws Exception {
    return kind.open(directory, durability, Workload.KEY_LENGTH, records);
  }

  private void put(Store store, long id) throws Exception {
    store.put(workload.key(id), workload.value(id));
  }

  private void check(Store store, long id) throws Exception {
    if (!Arrays.equals(store.get(workload.key(id)), workload.value(id))) {
      throw new IllegalStateException("wrong answer: store=%s record=%d".formatted(kind, id));
    }
  }

  private void checkSome(Store store) throws Exception {
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < CHECKS; i++) {
      check(store, random.nextInt(records));
    }
  }

  /** Puts random records until a time; returns how many since another, and checks the last. */
  private long putRandom(Store store, int seed, long begin, long end) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    List<Long> last = new ArrayList<>();
    long puts = 0;
    for (long now = 0; now < end; now = System.nanoTime()) {
      long id = random.nextInt(records);
      put(store, id);
      puts += now >= begin ? 1 : 0;
      if (last.size() < CHECKS) {
        last.add(id);
      } else {
        last.set((int) (puts % CHECKS), id);
      }
    }
    for (long id : last.subList(0, (int) Math.min(last.size(), puts / 100))) {
      check(store, id);
    }
    return puts;
  }

  /** Random puts of many threads. */
  private void puts(Durability durability, int threads, double seconds) throws Exception {
    Directories.delete(directory);
    ExecutorService pool =
        Executors.newFixedThreadPool(threads, task -> new Thread(task, "writer"));
    try (Store store = open(durability)) {
      long begin = System.nanoTime() + (long) (WARM_UP * 1e9);
      long end = begin + (long) (seconds * 1e9);
      List<Future<Long>> writers = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int seed = i;
        writers.add(pool.submit(() -> putRandom(store, seed, begin, end)));
      }
      long puts = 0;
      for (Future<Long> writer : writers) {
        puts += writer.get();
      }
      figures.put("puts/s", puts / seconds);
    } finally {
      pool.shutdown();
    }
    Directories.delete(directory);
  }

  /** Makes a store of all records: a table by a build, the others by puts. */
  private void fill() throws Exception {
    Directories.delete(directory);
    if (kind == BuiltInStores.BSDB) {
      try (SnapshotWriter writer = SnapshotWriter.create(directory, WriterOptions.defaults())) {
        for (int id = 0; id < records; id++) {
          writer.add(workload.key(id), workload.value(id));
        }
        writer.publish();
      }
      return;
    }
    try (Store store = open(Durability.OS)) {
      for (int id = 0; id < records; id++) {
        put(store, id);
      }
    }
  }

  /** Changes distinct records, and ends as if it were killed. */
  private void changeAndHalt(int changes, String[] arguments) throws Exception {
    Store store = open(Durability.OS);
    for (int i = 0; i < changes; i++) {
      put(store, (long) i * records / changes);
    }
    checkSome(store);
    JavaProcess.answer(arguments, figures);
    Runtime.getRuntime().halt(0);
  }

  /** Opens what was left. The process ends without closing it, so that it can be done again. */
  private void openAndHalt(String[] arguments) throws Exception {
    Path other = directory.resolveSibling(directory.getFileName() + "-warm");
    StoreTask warmUp = new StoreTask(kind, other, WARM_UP_RECORDS);
    warmUp.fill();
    try (Store store = warmUp.open(Durability.OS)) {
      for (int id = 0; id < WARM_UP_RECORDS; id++) {
        warmUp.put(store, id);
      }
      warmUp.checkSome(store);
    }
    Directories.delete(other);
    System.gc();
    long memory = Machine.ownMemory("RssAnon");
    long start = System.nanoTime();
    Store store = open(Durability.OS);
    figures.put("ms", (System.nanoTime() - start) / 1e6);
    checkSome(store);
    System.gc();
    figures.put("bytes/key", (Machine.ownMemory("RssAnon") - memory) / (double) records);
    JavaProcess.answer(arguments, figures);
    Runtime.getRuntime().halt(0);
  }
}
