package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Sampler;
import io.bsdb.benchmarks.harness.Workers;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.peers.Store;
import io.bsdb.live.Durability;
import io.bsdb.writer.options.WriterOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Measurements of one store while it changes. Each runs in its own process and returns figures by
 * name.
 */
final class StoreTasks {
  private static final double SECOND = 1e9;
  private static final double MIB = 1 << 20;
  private static final int CHECKS = 1_000;

  private StoreTasks() {}

  /**
   * A store.
   *
   * @param kind as {@link StoreKind#named} takes it
   */
  record Target(String kind, Path directory, int records) {
    private static final Workload WORKLOAD = new Workload(1);

    Store open(Durability durability, int keyLength) throws Exception {
      return StoreKind.named(kind).open(directory, durability, keyLength, records);
    }

    /** Opens a store of the records of {@link Workload}. */
    Store open(Durability durability) throws Exception {
      return open(durability, Workload.KEY_LENGTH);
    }

    void put(Store store, long id) throws Exception {
      store.put(WORKLOAD.key(id), WORKLOAD.value(id));
    }

    void check(Store store, long id) throws Exception {
      if (!Arrays.equals(store.get(WORKLOAD.key(id)), WORKLOAD.value(id))) {
        throw wrong(id);
      }
    }

    void checkSome(Store store) throws Exception {
      SplittableRandom random = new SplittableRandom(3);
      for (int i = 0; i < CHECKS; i++) {
        check(store, random.nextInt(records));
      }
    }

    /** Makes a store of all records: a table by a build, the others by puts. */
    void fill() throws Exception {
      Directories.delete(directory);
      if (kind.equals(BuiltInStores.BSDB.name())) {
        new Workload(records).publish(directory, WriterOptions.defaults());
        return;
      }
      try (Store store = open(Durability.OS)) {
        for (int id = 0; id < records; id++) {
          put(store, id);
        }
      }
    }

    IllegalStateException wrong(long id) {
      return new IllegalStateException("wrong answer: store=%s record=%d".formatted(kind, id));
    }
  }

  /** Random puts of many threads. */
  record Puts(Target target, Durability durability, int threads, double seconds)
      implements Callable<Map<String, Double>> {
    private static final double WARM_UP = 1.5;

    @Override
    public Map<String, Double> call() throws Exception {
      Directories.delete(target.directory);
      try (Store store = target.open(durability)) {
        long begin = System.nanoTime() + (long) (WARM_UP * SECOND);
        long end = begin + (long) (seconds * SECOND);
        List<Long> puts = Workers.run(threads, seed -> put(store, seed, begin, end));
        return Map.of("puts/s", puts.stream().mapToLong(n -> n).sum() / seconds);
      } finally {
        Directories.delete(target.directory);
      }
    }

    /** Puts random records until a time; returns how many since another, and checks the last. */
    private long put(Store store, int seed, long begin, long end) throws Exception {
      SplittableRandom random = new SplittableRandom(seed);
      List<Long> last = new ArrayList<>();
      long puts = 0;
      for (long now = 0; now < end; now = System.nanoTime()) {
        long id = random.nextInt(target.records);
        target.put(store, id);
        puts += now >= begin ? 1 : 0;
        if (last.size() < CHECKS) {
          last.add(id);
        } else {
          last.set((int) (puts % CHECKS), id);
        }
      }
      for (long id : last.subList(0, (int) Math.min(last.size(), puts / 100))) {
        target.check(store, id);
      }
      return puts;
    }
  }

  /** Makes a store, and changes distinct records of it. The process ends as if it were killed. */
  record Change(Target target, int changes)
      implements Callable<Map<String, Double>>, JavaProcess.Killed {
    @Override
    public Map<String, Double> call() throws Exception {
      target.fill();
      Store store = target.open(Durability.OS);
      for (int i = 0; i < changes; i++) {
        target.put(store, (long) i * target.records / changes);
      }
      target.checkSome(store);
      return Map.of();
    }
  }

  /** Opens what was left. The process ends without closing it, so that it can be done again. */
  record Open(Target target) implements Callable<Map<String, Double>>, JavaProcess.Killed {
    private static final int WARM_UP_RECORDS = 20_000;

    @Override
    public Map<String, Double> call() throws Exception {
      Path other = target.directory.resolveSibling(target.directory.getFileName() + "-warm");
      Target warmUp = new Target(target.kind, other, WARM_UP_RECORDS);
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
      Store store = target.open(Durability.OS);
      double nanos = System.nanoTime() - start;
      target.checkSome(store);
      System.gc();
      double bytes = Machine.ownMemory("RssAnon") - memory;
      return new TreeMap<>(Map.of("ms", nanos / 1e6, "bytes/key", bytes / target.records));
    }
  }

  /**
   * Records that are changed one by one: keys have 8 bytes, and values, which do not compress,
   * begin with the id and the number of the change.
   */
  private static final class Changing {
    static final int KEY_LENGTH = 8;

    private final Target target;
    private final int valueLength;

    /** The number of the last change of each record. */
    private final long[] changes;

    Changing(Target target, int valueLength) {
      this.target = target;
      this.valueLength = valueLength;
      this.changes = new long[target.records];
    }

    Store open(Durability durability) throws Exception {
      return target.open(durability, KEY_LENGTH);
    }

    private static byte[] key(long id) {
      return ByteBuffer.allocate(KEY_LENGTH).putLong(id).array();
    }

    private byte[] value(long id, long change) {
      ByteBuffer value = ByteBuffer.allocate(valueLength);
      value.putLong(id).putLong(change);
      long i = 0;
      for (; value.remaining() >= Long.BYTES; i++) {
        value.putLong(Workload.mix(id * valueLength + change + i));
      }
      long rest = Workload.mix(id * valueLength + change + i);
      for (; value.hasRemaining(); rest >>>= 8) {
        value.put((byte) rest);
      }
      return value.array();
    }

    void put(Store store, int id, long change) throws Exception {
      store.put(key(id), value(id, change));
      changes[id] = change;
    }

    /** Returns puts per second of all records in sequence. */
    double fill(Store store) throws Exception {
      long start = System.nanoTime();
      for (int id = 0; id < target.records; id++) {
        put(store, id, 0);
      }
      return target.records * SECOND / (System.nanoTime() - start);
    }

    /** Returns puts per second of random records. */
    double putRandom(Store store, int seed, int count) throws Exception {
      SplittableRandom random = new SplittableRandom(seed);
      long start = System.nanoTime();
      for (int i = 1; i <= count; i++) {
        put(store, random.nextInt(target.records), i);
      }
      return count * SECOND / (System.nanoTime() - start);
    }

    ByteBuffer check(int id, byte @Nullable [] value) {
      if (value == null || value.length != valueLength || ByteBuffer.wrap(value).getLong() != id) {
        throw target.wrong(id);
      }
      return ByteBuffer.wrap(value);
    }

    /** Checks that some records have their last values. */
    void checkLast(Store store) throws Exception {
      for (int id = 0; id < target.records; id += 97) {
        if (check(id, store.get(key(id))).getLong(Long.BYTES) != changes[id]) {
          throw target.wrong(id);
        }
      }
    }
  }

  /** The shapes of HaloDB's own benchmark. Values have 1,024 bytes. */
  record Shapes(Target target, double seconds) implements Callable<Map<String, Double>> {
    private static final int VALUE_LENGTH = 1024;
    private static final int READERS = 32;
    private static final double UPDATE_BYTES_PER_SECOND = 20 << 20;
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(10);

    @Override
    public Map<String, Double> call() throws Exception {
      Map<String, Double> figures = new TreeMap<>();
      Changing records = new Changing(target, VALUE_LENGTH);
      Directories.delete(target.directory);
      try (Store store = records.open(Durability.OS)) {
        figures.put("fill at random, puts/s", records.putRandom(store, 1, target.records));
      }
      Directories.delete(target.directory);
      long memory = Machine.ownMemory("RssAnon");
      try (Store store = records.open(Durability.OS)) {
        figures.put("fill in sequence, puts/s", records.fill(store));
        figures.put("update at random, puts/s", records.putRandom(store, 2, target.records));
        readUnderUpdates(store, records, figures);
        records.checkLast(store);
        System.gc();
        figures.put("memory, MiB", (Machine.ownMemory("RssAnon") - memory) / MIB);
      }
      figures.put("disk, MiB", Directories.size(target.directory) / MIB);
      Directories.delete(target.directory);
      return figures;
    }

    /** 32 threads read, one changes 20 MiB per second. */
    private void readUnderUpdates(Store store, Changing records, Map<String, Double> figures)
        throws Exception {
      long start = System.nanoTime();
      long end = start + (long) (seconds * SECOND);
      LongAdder puts = new LongAdder();
      Histogram all = new Histogram(LONGEST, 3);
      Workers.run(
              READERS + 1,
              i -> {
                if (i < READERS) {
                  return read(store, records, new SplittableRandom(100 + i), end);
                }
                puts.add(update(store, records, start, end));
                return new Histogram(LONGEST, 3);
              })
          .forEach(all::add);
      figures.put("reads/s under updates", all.getTotalCount() / seconds);
      figures.put("updates/s under reads", puts.sum() / seconds);
      figures.put("p99 of reads, us", all.getValueAtPercentile(99) / 1e3);
    }

    private long update(Store store, Changing records, long start, long end) throws Exception {
      SplittableRandom random = new SplittableRandom(4);
      long puts = 0;
      while (System.nanoTime() < end) {
        puts++;
        records.put(store, random.nextInt(target.records), target.records + puts);
        double bytes = (double) puts * (Changing.KEY_LENGTH + VALUE_LENGTH);
        long due = start + (long) (bytes * SECOND / UPDATE_BYTES_PER_SECOND);
        LockSupport.parkNanos(due - System.nanoTime());
      }
      return puts;
    }

    private Histogram read(Store store, Changing records, SplittableRandom random, long end)
        throws Exception {
      Histogram latencies = new Histogram(LONGEST, 3);
      long start = System.nanoTime();
      while (start < end) {
        int id = random.nextInt(target.records);
        byte[] value = store.get(Changing.key(id));
        long now = System.nanoTime();
        latencies.recordValue(Math.min(now - start, LONGEST));
        records.check(id, value);
        start = now;
      }
      return latencies;
    }
  }

  /**
   * Disk space and writes of updates. One thread fills the store in sequence, leaving that to the
   * operating system, then changes records drawn uniformly. Bytes written are those that the system
   * counts for the process, those that it writes until it rests included.
   *
   * @param length of a record
   * @param settle seconds for which the store may work on after its last change
   */
  record Writes(Target target, Durability durability, int length, int updates, double settle)
      implements Callable<Map<String, Double>> {
    private static final long QUIET_BYTES = 1 << 20;
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long SAMPLE_MILLIS = 100;

    @Override
    public Map<String, Double> call() throws Exception {
      Map<String, Double> figures = new TreeMap<>();
      Changing records = new Changing(target, length - Changing.KEY_LENGTH);
      Directories.delete(target.directory);
      Store filled = records.open(Durability.OS);
      try (filled) {
        long written = Machine.writtenBytes();
        figures.put("fill, puts/s", records.fill(filled));
        awaitQuiet();
        figures.put("written per byte filled", perByte(written, target.records));
        if (durability == Durability.OS) {
          update(filled, records, figures);
        }
      }
      if (durability != Durability.OS) {
        try (Store store = records.open(durability)) {
          update(store, records, figures);
        }
      }
      long start = System.nanoTime();
      try (Store store = records.open(durability)) {
        figures.put("opened after a close, ms", (System.nanoTime() - start) / 1e6);
        records.checkLast(store);
      }
      Directories.delete(target.directory);
      return figures;
    }

    private double perByte(long writtenBefore, int changes) throws IOException {
      return (Machine.writtenBytes() - writtenBefore) / ((double) changes * length);
    }

    private void update(Store store, Changing records, Map<String, Double> figures)
        throws Exception {
      long written = Machine.writtenBytes();
      Sampler disk = Sampler.start(() -> Directories.size(target.directory));
      figures.put("updates/s", records.putRandom(store, 2, updates));
      long end = System.nanoTime();
      awaitQuiet();
      if (new ProcessBuilder("sync").inheritIO().start().waitFor() != 0) {
        throw new IOException("sync failed");
      }
      figures.put("written per byte updated", perByte(written, updates));
      TimeUnit.NANOSECONDS.sleep(end + (long) (settle * SECOND) - System.nanoTime());
      double bytes = (double) target.records * length;
      figures.put("disk at most, of the records", disk.end() / bytes);
      figures.put("disk at the end, of the records", Directories.size(target.directory) / bytes);
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
}
