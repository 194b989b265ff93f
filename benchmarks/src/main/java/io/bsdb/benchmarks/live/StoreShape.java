package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.peers.Store;
import io.bsdb.live.Durability;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The shapes of HaloDB's own benchmark with one store, in a process of its own: {@code StoreShape
 * KIND DIRECTORY RECORDS SECONDS}. Keys have 8 bytes, values 1,024 that do not compress.
 */
final class StoreShape {
  static final int KEY_LENGTH = 8;
  private static final int VALUE_LENGTH = 1024;
  private static final int READERS = 32;
  private static final double UPDATE_BYTES_PER_SECOND = 20 << 20;
  private static final double MIB = 1 << 20;

  private final StoreKind kind;
  private final Path directory;
  private final int records;
  private final Map<String, Double> figures = new TreeMap<>();

  private StoreShape(StoreKind kind, Path directory, int records) {
    this.kind = kind;
    this.directory = directory;
    this.records = records;
  }

  public static void main(String[] arguments) throws Exception {
    StoreShape shape =
        new StoreShape(
            StoreKind.named(arguments[0]), Path.of(arguments[1]), Integer.parseInt(arguments[2]));
    shape.run(Double.parseDouble(arguments[3]));
    JavaProcess.answer(arguments, shape.figures);
  }

  static byte[] key(long id) {
    return ByteBuffer.allocate(KEY_LENGTH).putLong(id).array();
  }

  /** The value of a record begins with its id and the number of the change. */
  static byte[] value(long id, long change, int length) {
    ByteBuffer value = ByteBuffer.allocate(length);
    value.putLong(id).putLong(change);
    long i = 0;
    for (; value.remaining() >= Long.BYTES; i++) {
      value.putLong(Workload.mix(id * length + change + i));
    }
    for (long rest = Workload.mix(id * length + change + i); value.hasRemaining(); rest >>>= 8) {
      value.put((byte) rest);
    }
    return value.array();
  }

  static void check(long id, byte @Nullable [] value, int length) {
    if (value == null || value.length != length || ByteBuffer.wrap(value).getLong() != id) {
      throw new IllegalStateException("wrong answer: record=" + id);
    }
  }

  private Store open() throws Exception {
    return kind.open(directory, Durability.OS, KEY_LENGTH, records);
  }

  private void run(double seconds) throws Exception {
    Directories.delete(directory);
    try (Store store = open()) {
      SplittableRandom random = new SplittableRandom(1);
      long start = System.nanoTime();
      for (int i = 0; i < records; i++) {
        int id = random.nextInt(records);
        store.put(key(id), value(id, i, VALUE_LENGTH));
      }
      rate("fill at random, puts/s", start);
    }
    Directories.delete(directory);
    long memory = Machine.ownMemory("RssAnon");
    try (Store store = open()) {
      long start = System.nanoTime();
      for (int id = 0; id < records; id++) {
        store.put(key(id), value(id, 0, VALUE_LENGTH));
      }
      rate("fill in sequence, puts/s", start);
      long[] changes = new long[records];
      SplittableRandom random = new SplittableRandom(2);
      start = System.nanoTime();
      for (int i = 1; i <= records; i++) {
        int id = random.nextInt(records);
        store.put(key(id), value(id, i, VALUE_LENGTH));
        changes[id] = i;
      }
      rate("update at random, puts/s", start);
      readUnderUpdates(store, changes, seconds);
      for (int id = 0; id < records; id += 97) {
        byte[] value = store.get(key(id));
        check(id, value, VALUE_LENGTH);
        if (ByteBuffer.wrap(value).getLong(KEY_LENGTH) != changes[id]) {
          throw new IllegalStateException("an older value: record=" + id);
        }
      }
      System.gc();
      figures.put("memory, MiB", (Machine.ownMemory("RssAnon") - memory) / MIB);
    }
    figures.put("disk, MiB", Directories.size(directory) / MIB);
    Directories.delete(directory);
  }

  private void rate(String name, long start) {
    figures.put(name, records * 1e9 / (System.nanoTime() - start));
  }

  /** 32 threads read, one changes 20 MiB per second. */
  private void readUnderUpdates(Store store, long[] changes, double seconds) throws Exception {
    long end = System.nanoTime() + (long) (seconds * 1e9);
    LongAdder reads = new LongAdder();
    Reader[] readers = new Reader[READERS];
    for (int i = 0; i < READERS; i++) {
      readers[i] = new Reader(store, i, end, reads);
      readers[i].start();
    }
    SplittableRandom random = new SplittableRandom(4);
    long start = System.nanoTime();
    long puts = 0;
    while (System.nanoTime() < end) {
      int id = random.nextInt(records);
      long change = records + puts + 1;
      store.put(key(id), value(id, change, VALUE_LENGTH));
      changes[id] = change;
      puts++;
      long due =
          start + (long) (puts * (KEY_LENGTH + VALUE_LENGTH) * 1e9 / UPDATE_BYTES_PER_SECOND);
      LockSupport.parkNanos(due - System.nanoTime());
    }
    Histogram all = new Histogram(TimeUnit.SECONDS.toNanos(10), 3);
    for (Reader reader : readers) {
      all.add(reader.end());
    }
    figures.put("reads/s under updates", reads.sum() / seconds);
    figures.put("updates/s under reads", puts / seconds);
    figures.put("p99 of reads, us", all.getValueAtPercentile(99) / 1e3);
  }

  private final class Reader extends Thread {
    private final Store store;
    private final SplittableRandom random;
    private final long end;
    private final LongAdder reads;
    private final Histogram latencies = new Histogram(TimeUnit.SECONDS.toNanos(10), 3);
    private volatile @Nullable Exception failure;

    Reader(Store store, int seed, long end, LongAdder reads) {
      super("reader " + seed);
      this.store = store;
      this.random = new SplittableRandom(100 + seed);
      this.end = end;
      this.reads = reads;
    }

    @Override
    public void run() {
      try {
        long start = System.nanoTime();
        while (start < end) {
          int id = random.nextInt(records);
          byte[] value = store.get(key(id));
          long now = System.nanoTime();
          latencies.recordValue(Math.min(now - start, TimeUnit.SECONDS.toNanos(10)));
          check(id, value, VALUE_LENGTH);
          reads.increment();
          start = now;
        }
      } catch (Exception e) {
        failure = e;
      }
    }

    Histogram end() throws Exception {
      join();
      Exception reason = failure;
      if (reason != null) {
        throw reason;
      }
      return latencies;
    }
  }
}
