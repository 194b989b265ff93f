package io.bsdb.benchmarks.order;

import io.bsdb.benchmarks.harness.RecordFile;
import io.bsdb.benchmarks.harness.Records.Receiver;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.harness.Workload.Queries;
import io.bsdb.benchmarks.peers.BsdbStore;
import io.bsdb.benchmarks.peers.LmdbPeer;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.RocksDbPeer;
import io.bsdb.benchmarks.peers.RocksDbPeer.Fill;
import io.bsdb.benchmarks.peers.Store;
import io.bsdb.reader.RecordCursor;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.reader.io.Closing;
import io.bsdb.table.Manifest;
import io.bsdb.table.RecordOrder;
import io.bsdb.table.Table;
import io.bsdb.writer.SnapshotWriter;
import io.bsdb.writer.WriterOptions;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Compares a table in key order with one in hash order, and with RocksDB, LMDB and a {@link
 * java.util.TreeMap}.
 */
public final class OrderBench {
  private static final int ROUNDS = 5;
  private static final int BATCH = 64;
  private static final List<String> STORES = List.of("hash", "rocksdb", "lmdb", "treemap");
  private static final PrintStream OUT = System.out;

  private final Path directory;
  private final Workload workload;
  private final Queries queries;
  private final List<List<byte[]>> batches;

  /** Keys between those of the records. */
  private final byte[][] between;

  private long sum;

  private OrderBench(Path directory, long records) {
    this.directory = directory;
    this.workload = new Workload(records);
    this.queries = workload.queries(Keys.UNIFORM);
    this.batches = queries.batches(BATCH);
    Queries absent = workload.queries(Keys.ABSENT);
    this.between = new byte[absent.size()][];
    Arrays.setAll(between, absent::key);
  }

  /**
   * Runs the comparison.
   *
   * @param named stores among all; none for all
   */
  public static void run(Path directory, long records, List<String> named) throws IOException {
    Files.createDirectories(directory);
    new OrderBench(directory, records).run(named.isEmpty() ? STORES : named);
  }

  static void say(String format, Object... arguments) {
    OUT.printf(Locale.ROOT, format + "%n", arguments);
  }

  private void run(List<String> named) throws IOException {
    RecordFile records = RecordFile.of(directory, workload);
    Map<String, SnapshotReader> readers = new LinkedHashMap<>();
    Map<String, Store> stores = new LinkedHashMap<>();
    try {
      readers.put("key order", SnapshotReader.open(build(records, RecordOrder.KEY)));
      if (named.contains("hash")) {
        readers.put("hash order", SnapshotReader.open(build(records, RecordOrder.HASH)));
      }
      compare("get", readers, this::gets);
      compare("getAll(64), per key", readers, this::batches);
      compare("scan, per record", readers, this::scan);
      stores.put("bsdb", new BsdbStore(Objects.requireNonNull(readers.get("key order"))));
      if (named.contains("rocksdb")) {
        stores.put("RocksDB", open(RocksDbPeer.plain("rocksdb", Fill.INGEST), records));
      }
      if (named.contains("lmdb")) {
        stores.put("LMDB", open(new LmdbPeer(), records));
      }
      if (named.contains("treemap")) {
        Sorted sorted = new Sorted(new TreeMap<>(Arrays::compareUnsigned));
        records.forEach(sorted.map::put);
        stores.put("TreeMap", sorted);
      }
      check(stores);
      compare("floor", stores, store -> floors(store, between.length));
      compare("seek + 10 records", stores, store -> seeks(store, 10, between.length >> 2));
      compare("seek + 100 records", stores, store -> seeks(store, 100, between.length >> 5));
    } finally {
      List<Closeable> all = new ArrayList<>(stores.values());
      all.addAll(readers.values());
      Closing.all(all);
    }
    say("(checksum %d)", sum);
  }

  private Store open(Peer peer, RecordFile records) throws IOException {
    Path files = stored(peer.name());
    if (!Files.exists(files)) {
      peer.build(records, Files.createDirectory(files));
    }
    return peer.open(records, files);
  }

  /** A sorted map on the heap. */
  private record Sorted(TreeMap<byte[], byte[]> map) implements Store {
    @Override
    public byte @Nullable [] get(byte[] key) {
      byte[] value = map.get(key);
      return value == null ? null : value.clone();
    }

    @Override
    public void floor(byte[] key, Receiver receiver) throws IOException {
      Map.@Nullable Entry<byte[], byte[]> found = map.floorEntry(key);
      if (found != null) {
        receiver.accept(found.getKey().clone(), found.getValue().clone());
      }
    }

    @Override
    public void seek(byte[] key, int count, Receiver receiver) throws IOException {
      int i = 0;
      for (Map.Entry<byte[], byte[]> entry : map.tailMap(key, true).entrySet()) {
        if (i++ == count) {
          break;
        }
        receiver.accept(entry.getKey().clone(), entry.getValue().clone());
      }
    }

    @Override
    public void close() {
      map.clear();
    }
  }

  private Path stored(String name) {
    return directory.resolve("order-" + name + "-" + workload.records());
  }

  private Path build(RecordFile records, RecordOrder order) throws IOException {
    Path table = stored(order == RecordOrder.KEY ? "key" : "hash");
    if (!Files.exists(table)) {
      long start = System.nanoTime();
      try (SnapshotWriter writer =
          SnapshotWriter.create(table, WriterOptions.builder().order(order).build())) {
        records.forEach(writer::add);
        Manifest manifest = writer.publish();
        double seconds = (System.nanoTime() - start) / 1e9;
        say(
            "build, order %s: %,.0f records/s, %.1f bytes per record",
            order,
            manifest.recordCount() / seconds,
            manifest.length() / (double) manifest.recordCount());
      }
    }
    Table published = Table.at(table);
    return table.resolve("snapshots").resolve(published.requireCurrentVersion());
  }

  private int gets(SnapshotReader reader) throws IOException {
    for (int i = 0; i < queries.size(); i++) {
      queries.check(i, reader.get(queries.key(i)));
    }
    return queries.size();
  }

  private int batches(SnapshotReader reader) throws IOException {
    for (int i = 0; i < batches.size(); i++) {
      List<byte[]> values = reader.getAll(batches.get(i));
      for (int j = 0; j < BATCH; j++) {
        queries.check(i * BATCH + j, values.get(j));
      }
    }
    return queries.size();
  }

  private int scan(SnapshotReader reader) throws IOException {
    int count = 0;
    try (RecordCursor cursor = reader.scan()) {
      while (cursor.next()) {
        sum += cursor.key().length + cursor.value().length;
        count++;
      }
    }
    return count;
  }

  private int floors(Store store, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      store.floor(between[i], this::receive);
    }
    return count;
  }

  private int seeks(Store store, int length, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      store.seek(between[i], length, this::receive);
    }
    return count;
  }

  private void receive(byte[] key, byte[] value) {
    sum += key[key.length - 1] + value[value.length - 3];
  }

  /** All stores give the same records, which are those of the workload. */
  private void check(Map<String, Store> stores) throws IOException {
    long[] sums = new long[stores.size()];
    int at = 0;
    for (Store store : stores.values()) {
      long[] total = {0};
      for (int i = 0; i < 20_000; i++) {
        Receiver receiver =
            (key, value) -> {
              if (!workload.isValueOf(key, value)) {
                throw new IllegalStateException("wrong value");
              }
              total[0] = 31 * total[0] + Arrays.hashCode(key);
            };
        store.floor(between[i], receiver);
        store.seek(between[i], 3, receiver);
      }
      sums[at++] = total[0];
    }
    if (Arrays.stream(sums).distinct().count() != 1) {
      throw new IllegalStateException("stores differ: " + stores.keySet() + Arrays.toString(sums));
    }
  }

  /** Operations that are measured of each contender. */
  interface Measured<T> {
    /** Returns how many times it was done. */
    int run(T contender) throws IOException;
  }

  /** Measures all in turn, and prints medians: nanoseconds of the first, ratios of the others. */
  static <T> void compare(String what, Map<String, T> contenders, Measured<T> operation)
      throws IOException {
    List<String> names = List.copyOf(contenders.keySet());
    List<T> all = List.copyOf(contenders.values());
    double[][] nanos = new double[names.size()][ROUNDS];
    for (int round = -1; round < ROUNDS; round++) {
      for (int i = 0; i < names.size(); i++) {
        int which = Math.floorMod(i + round, names.size());
        long start = System.nanoTime();
        int count = operation.run(all.get(which));
        if (round >= 0) {
          nanos[which][round] = (System.nanoTime() - start) / (double) count;
        }
      }
    }
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < names.size(); i++) {
      Arrays.sort(nanos[i]);
      double median = nanos[i][ROUNDS / 2];
      line.append(
          i == 0
              ? String.format(Locale.ROOT, "%s: %s %.0f ns", what, names.get(0), median)
              : String.format(
                  Locale.ROOT, ", %s %.2f times", names.get(i), median / nanos[0][ROUNDS / 2]));
    }
    OUT.println(line);
  }
}
