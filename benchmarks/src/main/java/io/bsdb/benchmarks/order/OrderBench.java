package io.bsdb.benchmarks.order;

import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.RecordFile;
import io.bsdb.benchmarks.harness.Records.Receiver;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
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
  private static final String KEY = "key order";
  private static final String HASH = "hash order";
  private static final List<String> STORES = List.of("hash", "rocksdb", "lmdb", "treemap");

  private final Path directory;
  private final Workload workload;
  private final Queries queries;
  private final List<List<byte[]>> batches;

  /** Keys between those of the records. */
  private final byte[][] between;

  /** Figures of the builds of this run. */
  private final Map<String, Map<String, Double>> builds = new LinkedHashMap<>();

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
  public static List<Section> run(Path directory, long records, List<String> named)
      throws Exception {
    Files.createDirectories(directory);
    return new OrderBench(directory, records).run(named.isEmpty() ? STORES : named);
  }

  private List<Section> run(List<String> named) throws Exception {
    RecordFile file = RecordFile.of(directory, workload);
    Map<String, SnapshotReader> readers = new LinkedHashMap<>();
    Map<String, Store> stores = new LinkedHashMap<>();
    try {
      readers.put(KEY, SnapshotReader.open(build(file, RecordOrder.KEY)));
      if (named.contains("hash")) {
        readers.put(HASH, SnapshotReader.open(build(file, RecordOrder.HASH)));
      }
      Turns<SnapshotReader> orders = new Turns<>(readers);
      builds.forEach((name, figures) -> figures.forEach(orders.row(name)::add));
      orders.time("get, ns", ROUNDS, this::gets);
      orders.time("getAll(64), ns", ROUNDS, this::batches);
      orders.time("scan, ns", ROUNDS, this::scan);
      stores.put("bsdb", new BsdbStore(Objects.requireNonNull(readers.get(KEY))));
      if (named.contains("rocksdb")) {
        stores.put("RocksDB", open(RocksDbPeer.plain("rocksdb", Fill.INGEST), file));
      }
      if (named.contains("lmdb")) {
        stores.put("LMDB", open(new LmdbPeer(), file));
      }
      if (named.contains("treemap")) {
        Sorted sorted = new Sorted(new TreeMap<>(Arrays::compareUnsigned));
        file.forEach(sorted.map::put);
        stores.put("TreeMap", sorted);
      }
      check(stores);
      Turns<Store> searches = new Turns<>(stores);
      searches.time("floor, ns", ROUNDS, store -> floors(store, between.length));
      searches.time("10 from a key, ns", ROUNDS, store -> seeks(store, 10, between.length >> 2));
      searches.time("100 from a key, ns", ROUNDS, store -> seeks(store, 100, between.length >> 5));
      Progress.step("checksum %d", sum);
      String records = ", %,d records".formatted(workload.records());
      return List.of(
          orders.section(
              "Key order and hash order" + records,
              List.of("get, ns", "getAll(64), ns", "scan, ns")),
          searches.section(
              "Stores in key order" + records,
              List.of("floor, ns", "10 from a key, ns", "100 from a key, ns")));
    } finally {
      List<Closeable> all = new ArrayList<>(stores.values());
      all.addAll(readers.values());
      Closing.all(all);
    }
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
        builds.put(
            order == RecordOrder.KEY ? KEY : HASH,
            Map.of(
                "records/s built",
                manifest.recordCount() / seconds,
                "bytes/record",
                manifest.length() / (double) manifest.recordCount()));
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
}
