package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Sampler;
import io.bsdb.benchmarks.peers.Store;
import io.bsdb.live.Durability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Disk space and writes of one store's updates, in a process of its own: {@code StoreWrites KIND
 * DIRECTORY DURABILITY RECORDS RECORD_LENGTH UPDATES SETTLE_SECONDS}. One thread fills the store in
 * sequence, leaving that to the operating system, then changes records drawn uniformly. Bytes
 * written are those that the system counts for the process, those that it writes until it rests
 * included.
 */
final class StoreWrites {
  private static final long QUIET_BYTES = 1 << 20;
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long SAMPLE_MILLIS = 100;
  private static final double SECOND = 1e9;

  private final StoreKind kind;
  private final Path directory;
  private final Durability durability;
  private final int records;
  private final int valueLength;
  private final Map<String, Double> figures = new TreeMap<>();

  private StoreWrites(String[] arguments) {
    this.kind = StoreKind.named(arguments[0]);
    this.directory = Path.of(arguments[1]);
    this.durability = Durability.valueOf(arguments[2]);
    this.records = Integer.parseInt(arguments[3]);
    this.valueLength = Integer.parseInt(arguments[4]) - StoreShape.KEY_LENGTH;
  }

  public static void main(String[] arguments) throws Exception {
    StoreWrites writes = new StoreWrites(arguments);
    writes.run(Integer.parseInt(arguments[5]), Double.parseDouble(arguments[6]));
    JavaProcess.answer(arguments, writes.figures);
  }

  private Store open(Durability opened) throws Exception {
    return kind.open(directory, opened, StoreShape.KEY_LENGTH, records);
  }

  private void put(Store store, int id, int change) throws Exception {
    store.put(StoreShape.key(id), StoreShape.value(id, change, valueLength));
  }

  private double bytes(long changes) {
    return (double) changes * (StoreShape.KEY_LENGTH + valueLength);
  }

  private void run(int updates, double settleSeconds) throws Exception {
    Directories.delete(directory);
    int[] changes = new int[records];
    Store filled = open(Durability.OS);
    try (filled) {
      long written = Machine.writtenBytes();
      long start = System.nanoTime();
      for (int id = 0; id < records; id++) {
        put(filled, id, 0);
      }
      figures.put("fill, puts/s", records * SECOND / (System.nanoTime() - start));
      awaitQuiet(settleSeconds);
      figures.put("written per byte filled", (Machine.writtenBytes() - written) / bytes(records));
      if (durability == Durability.OS) {
        update(filled, changes, updates, settleSeconds);
      }
    }
    if (durability != Durability.OS) {
      try (Store store = open(durability)) {
        update(store, changes, updates, settleSeconds);
      }
    }
    long start = System.nanoTime();
    try (Store store = open(durability)) {
      figures.put("opened after a close, ms", (System.nanoTime() - start) / 1e6);
      for (int id = 0; id < records; id += 97) {
        byte[] value = store.get(StoreShape.key(id));
        StoreShape.check(id, value, valueLength);
        if (ByteBuffer.wrap(value).getLong(StoreShape.KEY_LENGTH) != changes[id]) {
          throw new IllegalStateException("an older value: store=%s record=%d".formatted(kind, id));
        }
      }
    }
    Directories.delete(directory);
  }

  private void update(Store store, int[] changes, int updates, double settleSeconds)
      throws Exception {
    long written = Machine.writtenBytes();
    Sampler disk = Sampler.start(() -> Directories.size(directory));
    SplittableRandom random = new SplittableRandom(2);
    long start = System.nanoTime();
    for (int i = 1; i <= updates; i++) {
      int id = random.nextInt(records);
      put(store, id, i);
      changes[id] = i;
    }
    long end = System.nanoTime();
    figures.put("updates/s", updates * SECOND / (end - start));
    awaitQuiet(settleSeconds);
    if (new ProcessBuilder("sync").inheritIO().start().waitFor() != 0) {
      throw new IOException("sync failed");
    }
    figures.put("written per byte updated", (Machine.writtenBytes() - written) / bytes(updates));
    long rest = (long) (settleSeconds * SECOND) - (System.nanoTime() - end);
    TimeUnit.NANOSECONDS.sleep(Math.max(0, rest));
    figures.put("disk at most, of the records", disk.end() / bytes(records));
    figures.put("disk at the end, of the records", Directories.size(directory) / bytes(records));
  }

  /** Waits until the process hardly writes any more, or for a time. */
  private static void awaitQuiet(double seconds) throws Exception {
    long begun = System.nanoTime();
    long since = begun;
    long written = Machine.writtenBytes();
    while (System.nanoTime() - since < QUIET_NANOS
        && System.nanoTime() - begun < seconds * SECOND) {
      TimeUnit.MILLISECONDS.sleep(SAMPLE_MILLIS);
      if (Machine.writtenBytes() - written > QUIET_BYTES) {
        written = Machine.writtenBytes();
        since = System.nanoTime();
      }
    }
  }
}
