package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.live.Durability;
import io.bsdb.live.WritableOptions;
import io.bsdb.live.WritableTable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.Txn;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/**
 * Compares durable puts of a {@link WritableTable} with those of RocksDB and LMDB, and the time to
 * open after a kill: {@code DurableWrites DIRECTORY [SECONDS]}. Puts replace random ones of a
 * million records; each is on disk when it returns.
 */
public final class DurableWrites {
  private static final int ROUNDS = 3;
  private static final int KEYS = 1_000_000;
  private static final PrintStream OUT = System.out;

  private DurableWrites() {}

  /** What is compared. */
  enum Store {
    BSDB,
    ROCKSDB,
    LMDB
  }

  /** An open store. */
  private interface Puts extends AutoCloseable {
    void put(byte[] key, byte[] value) throws Exception;

    @Override
    void close() throws Exception;
  }

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    if (arguments.length == 3) {
      fillAndHalt(Store.valueOf(arguments[1]), directory);
    }
    double seconds = arguments.length > 1 ? Double.parseDouble(arguments[1]) : 5;
    for (int threads : new int[] {1, 16, 64}) {
      double[][] rates = new double[Store.values().length][ROUNDS];
      for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < rates.length; i++) {
          rates[i][round] = run(Store.values()[i], directory, threads, seconds);
        }
      }
      for (int i = 0; i < rates.length; i++) {
        OUT.printf(
            Locale.ROOT,
            "%2d threads %-7s %,10.0f puts/s, bsdb x %.2f%n",
            threads,
            Store.values()[i],
            median(rates[i]),
            median(rates[0]) / median(rates[i]));
      }
    }
    for (Store store : new Store[] {Store.BSDB, Store.ROCKSDB}) {
      openAfterKill(store, directory);
    }
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static double run(Store store, Path directory, int threads, double seconds)
      throws Exception {
    Path path = directory.resolve("durable-" + store);
    delete(path);
    Workload workload = new Workload(KEYS);
    AtomicBoolean done = new AtomicBoolean();
    AtomicLong puts = new AtomicLong();
    long start;
    try (Puts open = open(store, path, true)) {
      Thread[] writers = new Thread[threads];
      for (int i = 0; i < threads; i++) {
        writers[i] = new Thread(() -> put(open, workload, done, puts), "writer " + i);
        writers[i].start();
      }
      TimeUnit.NANOSECONDS.sleep((long) (seconds * 0.3e9)); // warms up
      long before = puts.get();
      start = System.nanoTime();
      TimeUnit.NANOSECONDS.sleep((long) (seconds * 1e9));
      double rate = (puts.get() - before) * 1e9 / (System.nanoTime() - start);
      done.set(true);
      for (Thread writer : writers) {
        writer.join();
      }
      return rate;
    } finally {
      delete(path);
    }
  }

  private static void put(Puts open, Workload workload, AtomicBoolean done, AtomicLong puts) {
    try {
      while (!done.get()) {
        long id = ThreadLocalRandom.current().nextInt(KEYS);
        open.put(workload.key(id), workload.value(id));
        puts.incrementAndGet();
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static Puts open(Store store, Path path, boolean sync) throws Exception {
    return switch (store) {
      case BSDB -> bsdb(path, sync);
      case ROCKSDB -> rocksDb(path, sync);
      case LMDB -> lmdb(path);
    };
  }

  private static Puts bsdb(Path path, boolean sync) throws IOException {
    WritableTable table =
        WritableTable.open(
            path,
            WritableOptions.defaults().withDurability(sync ? Durability.COMMIT : Durability.OS));
    return new Puts() {
      @Override
      public void put(byte[] key, byte[] value) throws IOException {
        table.put(key, value);
      }

      @Override
      public void close() throws IOException {
        table.close();
      }
    };
  }

  private static Puts rocksDb(Path path, boolean sync) throws RocksDBException {
    Options options = new Options().setCreateIfMissing(true);
    RocksDB db = RocksDB.open(options, path.toString());
    WriteOptions write = new WriteOptions().setSync(sync);
    return new Puts() {
      @Override
      public void put(byte[] key, byte[] value) throws RocksDBException {
        db.put(write, key, value);
      }

      @Override
      public void close() {
        write.close();
        db.close();
        options.close();
      }
    };
  }

  private static Puts lmdb(Path path) throws IOException {
    Files.createDirectories(path);
    Env<ByteBuffer> env = Env.create().setMapSize(1L << 30).open(path.toFile());
    Dbi<ByteBuffer> table = env.openDbi("records", DbiFlags.MDB_CREATE);
    return new Puts() {
      @Override
      public synchronized void put(byte[] key, byte[] value) {
        try (Txn<ByteBuffer> transaction = env.txnWrite()) {
          table.put(transaction, direct(key), direct(value));
          transaction.commit();
        }
      }

      @Override
      public void close() {
        table.close();
        env.close();
      }
    };
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  /** Measures how long a store takes to open whose process was ended amid its writes. */
  private static void openAfterKill(Store store, Path directory) throws Exception {
    Path path = directory.resolve("killed-" + store);
    delete(path);
    Process writer =
        new ProcessBuilder(
                JavaProcess.command(
                    List.of("-Xmx1g"), DurableWrites.class, path, store.name(), "fill"))
            .inheritIO()
            .start();
    writer.waitFor();
    long start = System.nanoTime();
    try (Puts open = open(store, path, true)) {
      OUT.printf(
          Locale.ROOT,
          "open after a kill with %,d changes: %-7s %,.0f ms%n",
          KEYS,
          store,
          (System.nanoTime() - start) / 1e6);
    } finally {
      delete(path);
    }
  }

  private static void fillAndHalt(Store store, Path path) throws Exception {
    Workload workload = new Workload(KEYS);
    Puts open = open(store, path, false);
    for (long id = 0; id < KEYS; id++) {
      open.put(workload.key(id), workload.value(id));
    }
    Runtime.getRuntime().halt(0);
  }

  private static void delete(Path path) throws IOException {
    if (!Files.exists(path)) {
      return;
    }
    try (Stream<Path> files = Files.walk(path)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
