package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.peers.Store;
import io.bsdb.live.Durability;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

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

  /** A thread that puts random records. */
  private final class Writer extends Thread {
    private final Store store;
    private final SplittableRandom random;
    private final LongAdder puts;
    private final long[] last = new long[CHECKS];
    private volatile boolean stopped;
    private volatile @Nullable Exception failure;

    Writer(Store store, int seed, LongAdder puts) {
      super("writer " + seed);
      this.store = store;
      this.random = new SplittableRandom(seed);
      this.puts = puts;
    }

    @Override
    public void run() {
      try {
        for (int i = 0; !stopped; i++) {
          long id = random.nextInt(records);
          put(store, id);
          last[i % CHECKS] = id;
          puts.increment();
        }
      } catch (Exception e) {
        failure = e;
      }
    }

    void end() throws Exception {
      stopped = true;
      join();
      Exception reason = failure;
      if (reason != null) {
        throw reason;
      }
      for (int i = 0; i < Math.min(CHECKS, puts.sum() / 100); i++) {
        if (last[i] != 0) {
          check(store, last[i]);
        }
      }
    }
  }

  /** Random puts of many threads. */
  private void puts(Durability durability, int threads, double seconds) throws Exception {
    Directories.delete(directory);
    LongAdder puts = new LongAdder();
    try (Store store = open(durability)) {
      Writer[] writers = new Writer[threads];
      for (int i = 0; i < threads; i++) {
        writers[i] = new Writer(store, i, puts);
        writers[i].start();
      }
      TimeUnit.NANOSECONDS.sleep((long) (WARM_UP * 1e9));
      long before = puts.sum();
      long start = System.nanoTime();
      TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
      figures.put("puts/s", (puts.sum() - before) * 1e9 / (System.nanoTime() - start));
      for (Writer writer : writers) {
        writer.end();
      }
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
    long memory = anonymousMemory();
    long start = System.nanoTime();
    Store store = open(Durability.OS);
    figures.put("ms", (System.nanoTime() - start) / 1e6);
    checkSome(store);
    System.gc();
    figures.put("bytes/key", (anonymousMemory() - memory) / (double) records);
    JavaProcess.answer(arguments, figures);
    Runtime.getRuntime().halt(0);
  }

  /** Returns the bytes that this process has in memory, those of mapped files excepted. */
  static long anonymousMemory() throws IOException {
    return number(Path.of("/proc/self/status"), "RssAnon:") << 10;
  }

  /** Returns the bytes that this process has sent to the disk, or will. */
  static long writtenBytes() throws IOException {
    return number(Path.of("/proc/self/io"), "write_bytes:");
  }

  private static long number(Path file, String name) throws IOException {
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith(name)) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    throw new IOException("no %s in %s".formatted(name, file));
  }
}
