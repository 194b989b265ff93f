package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Workers;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.peers.Store;
import io.bsdb.benchmarks.peers.WritableStore;
import io.bsdb.live.Durability;
import io.bsdb.table.storage.DirectoryTree;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Measurements of one store while it changes. Each runs in its own process and returns figures by
 * name.
 */
final class StoreTasks {
  private static final double SECOND = 1e9;

  private StoreTasks() {}

  /**
   * A store and its records. Keys have 8 bytes; values do not compress, and differ by the number of
   * the change that made them, at first 0.
   *
   * @param store its name
   * @param length of a record
   */
  record Target(String store, Path directory, Durability durability, int records, int length) {
    Store open(Durability how) throws Exception {
      return Objects.requireNonNull(WritableStore.all().get(store)).open(directory, how, records);
    }

    private static byte[] key(long id) {
      return ByteBuffer.allocate(Long.BYTES).putLong(id).array();
    }

    private byte[] value(long id, long change) {
      byte[] value = new byte[length - Long.BYTES];
      new SplittableRandom(Workload.mix(id) + change).nextBytes(value);
      return value;
    }

    void put(Store store, long id, long change) throws Exception {
      store.put(key(id), value(id, change));
    }

    void check(Store store, long id, long change) throws Exception {
      if (!Arrays.equals(store.get(key(id)), value(id, change))) {
        throw new IllegalStateException(
            "wrong answer: store=%s record=%d".formatted(this.store, id));
      }
    }

    /** Puts all records in sequence; returns puts per second. */
    double putAll(Store store) throws Exception {
      long start = System.nanoTime();
      for (int id = 0; id < records; id++) {
        put(store, id, 0);
      }
      return records * SECOND / (System.nanoTime() - start);
    }
  }

  /** Random puts of many threads. */
  record Puts(Target target, int threads, double seconds) implements Callable<Map<String, Double>> {
    private static final double WARM_UP = 1.5;
    private static final int CHECKS = 100;

    @Override
    public Map<String, Double> call() throws Exception {
      try (Store store = target.open(target.durability)) {
        long begin = System.nanoTime() + (long) (WARM_UP * SECOND);
        long end = begin + (long) (seconds * SECOND);
        return Map.of(
            "puts/s", Workers.run(threads, seed -> put(store, seed, begin, end)) / seconds);
      }
    }

    /** Puts random records until a time, and checks some; returns how many since another time. */
    private long put(Store store, int seed, long begin, long end) throws Exception {
      SplittableRandom random = new SplittableRandom(seed);
      long all = 0;
      long counted = 0;
      for (long now = 0; now < end; now = System.nanoTime()) {
        target.put(store, random.nextInt(target.records), 0);
        all++;
        counted += now >= begin ? 1 : 0;
      }
      SplittableRandom same = new SplittableRandom(seed);
      for (int i = 0; i < Math.min(all, CHECKS); i++) {
        target.check(store, same.nextInt(target.records), 0);
      }
      return counted;
    }
  }

  /**
   * Disk space and writes of updates. One thread fills the store in sequence, leaving that to the
   * operating system, then changes records drawn uniformly. Bytes written are those that the system
   * counts for the process, those that it writes until it rests included.
   *
   * @param settle seconds for which the store may work on after its last change
   */
  record Writes(Target target, int updates, double settle)
      implements Callable<Map<String, Double>> {
    private static final long QUIET_BYTES = 1 << 20;
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long SAMPLE_MILLIS = 100;
    private static final int CHECKED_EVERY = 97;

    @Override
    public Map<String, Double> call() throws Exception {
      Map<String, Double> figures = new TreeMap<>();
      long[] last = new long[target.records];
      try (Store filled = target.open(Durability.OS)) {
        figures.put("fill, puts/s", target.putAll(filled));
        awaitQuiet();
        if (target.durability == Durability.OS) {
          update(filled, last, figures);
        }
      }
      if (target.durability != Durability.OS) {
        try (Store store = target.open(target.durability)) {
          update(store, last, figures);
        }
      }
      long start = System.nanoTime();
      try (Store store = target.open(target.durability)) {
        figures.put("opened after a close, ms", (System.nanoTime() - start) / 1e6);
        for (int id = 0; id < target.records; id += CHECKED_EVERY) {
          target.check(store, id, last[id]);
        }
      }
      return figures;
    }

    /**
     * Updates records.
     *
     * @param last gets the number of the last change of each record
     */
    private void update(Store store, long[] last, Map<String, Double> figures) throws Exception {
      double bytes = (double) target.records * target.length;
      long most =
          Workers.greatest(
              () -> DirectoryTree.length(target.directory),
              () -> {
                long written = Machine.writtenBytes();
                SplittableRandom random = new SplittableRandom(2);
                long start = System.nanoTime();
                for (int i = 1; i <= updates; i++) {
                  int id = random.nextInt(target.records);
                  target.put(store, id, i);
                  last[id] = i;
                }
                long end = System.nanoTime();
                figures.put("updates/s", updates * SECOND / (end - start));
                awaitQuiet();
                Machine.run("sync");
                double updated = (double) updates * target.length;
                figures.put(
                    "written per byte updated", (Machine.writtenBytes() - written) / updated);
                TimeUnit.NANOSECONDS.sleep(end + (long) (settle * SECOND) - System.nanoTime());
              });
      figures.put("disk at most, of the records", most / bytes);
      figures.put(
          "disk at the end, of the records", DirectoryTree.length(target.directory) / bytes);
    }

    /** Waits until the process hardly writes any more, or for a time. */
    private void awaitQuiet() throws Exception {
      long begun = System.nanoTime();
      long since = begun;
      long written = Machine.writtenBytes();
      while (System.nanoTime() - since < QUIET_NANOS
          && System.nanoTime() - begun < settle * SECOND) {
        TimeUnit.MILLISECONDS.sleep(SAMPLE_MILLIS);
        if (Machine.writtenBytes() - written > QUIET_BYTES) {
          written = Machine.writtenBytes();
          since = System.nanoTime();
        }
      }
    }
  }

  /** Makes a store, and changes a tenth of its records. Then the process waits to be killed. */
  record Changed(Target target) implements Callable<@Nullable Void> {
    static final int EVERY = 10;

    @Override
    public @Nullable Void call() throws Exception {
      try (Store store = target.open(Durability.OS)) {
        target.putAll(store);
      }
      Store store = target.open(Durability.OS);
      for (int id = 0; id < target.records; id += EVERY) {
        target.put(store, id, 1);
      }
      JavaProcess.converse(question -> question);
      return null;
    }
  }

  /** Opens what was left, after another store so that code is loaded. */
  record Opened(Target target) implements Callable<Map<String, Double>> {
    private static final int WARM_UP_RECORDS = 20_000;

    @Override
    public Map<String, Double> call() throws Exception {
      Path files = target.directory.resolveSibling("durable-warm-up");
      Target other = new Target(target.store, files, Durability.OS, WARM_UP_RECORDS, target.length);
      try (Store store = other.open(Durability.OS)) {
        other.putAll(store);
        other.check(store, 0, 0);
      }
      DirectoryTree.delete(files);
      System.gc();
      long memory = Machine.ownMemory("RssAnon");
      long start = System.nanoTime();
      try (Store store = target.open(Durability.OS)) {
        double nanos = System.nanoTime() - start;
        for (int id = 0; id < target.records; id += Writes.CHECKED_EVERY) {
          target.check(store, id, id % Changed.EVERY == 0 ? 1 : 0);
        }
        System.gc();
        double bytes = Machine.ownMemory("RssAnon") - memory;
        return Map.of("ms", nanos / 1e6, "bytes beside the heap per key", bytes / target.records);
      }
    }
  }
}
