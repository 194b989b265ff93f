package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.peers.Store;
import io.bsdb.live.Durability;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.Vector;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/**
 * YCSB's core workloads A, B, C, F and D, in this order, with one store, in a process of its own:
 * {@code StoreYcsb KIND DIRECTORY DURABILITY THREADS RECORDS SECONDS}. Records are YCSB's: ten
 * fields of 100 bytes under keys like {@code user6284781860667377211}. The first inserts are left
 * to the operating system; then the store is opened again.
 */
final class StoreYcsb {
  /** Names what is no store, for comparison. */
  static final String HEAP = "HEAP";

  private static final double SECOND = 1e9;

  /**
   * A core workload, as one of YCSB's files {@code workloads/*} has it.
   *
   * @param keys the distribution of the keys
   */
  private record Core(
      String name,
      double reads,
      double updates,
      double modifications,
      double inserts,
      String keys) {
    CoreWorkload on(int records) throws Exception {
      Properties properties = new Properties();
      properties.setProperty("recordcount", Integer.toString(records));
      properties.setProperty("operationcount", Integer.toString(records));
      properties.setProperty(CoreWorkload.READ_PROPORTION_PROPERTY, Double.toString(reads));
      properties.setProperty(CoreWorkload.UPDATE_PROPORTION_PROPERTY, Double.toString(updates));
      properties.setProperty(
          CoreWorkload.READMODIFYWRITE_PROPORTION_PROPERTY, Double.toString(modifications));
      properties.setProperty(CoreWorkload.INSERT_PROPORTION_PROPERTY, Double.toString(inserts));
      properties.setProperty(CoreWorkload.REQUEST_DISTRIBUTION_PROPERTY, keys);
      Measurements.setProperties(properties);
      CoreWorkload workload = new CoreWorkload();
      workload.init(properties);
      return workload;
    }
  }

  /** The one that inserts is the last. */
  private static final List<Core> CORE =
      List.of(
          new Core("A", 0.5, 0.5, 0, 0, "zipfian"),
          new Core("B", 0.95, 0.05, 0, 0, "zipfian"),
          new Core("C", 1, 0, 0, 0, "zipfian"),
          new Core("F", 0.5, 0, 0.5, 0, "zipfian"),
          new Core("D", 0.95, 0, 0, 0.05, "latest"));

  /** Keeps records on the heap, which takes no time to speak of: the rest is YCSB's own. */
  private static final class Heap implements StoreKind, Store {
    private final Map<ByteBuffer, byte[]> records = new ConcurrentHashMap<>();

    @Override
    public String name() {
      return HEAP;
    }

    @Override
    public Store open(Path directory, Durability durability, int keyLength, int count) {
      return this;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
      byte[] value = records.get(ByteBuffer.wrap(key));
      return value == null ? null : value.clone();
    }

    @Override
    public void put(byte[] key, byte[] value) {
      records.put(ByteBuffer.wrap(key), value);
    }

    @Override
    public void close() {}
  }

  /** A store as YCSB drives it: all fields of a record are one value. */
  private static final class Fields extends DB {
    private final Store store;

    Fields(Store store) {
      this.store = store;
    }

    @Override
    public Status read(
        String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
      Map<String, byte[]> record = record(key);
      record.forEach(
          (name, value) -> {
            if (fields == null || fields.contains(name)) {
              result.put(name, new ByteArrayByteIterator(value));
            }
          });
      return Status.OK;
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
      Map<String, byte[]> record = record(key);
      values.forEach((name, value) -> record.put(name, value.toArray()));
      return put(key, record);
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
      Map<String, byte[]> record = new LinkedHashMap<>();
      values.forEach((name, value) -> record.put(name, value.toArray()));
      return put(key, record);
    }

    @Override
    @SuppressWarnings("NonApiType") // so YCSB has it
    public Status scan(
        String table,
        String key,
        int count,
        Set<String> fields,
        Vector<HashMap<String, ByteIterator>> result) {
      return Status.NOT_IMPLEMENTED;
    }

    @Override
    public Status delete(String table, String key) {
      return Status.NOT_IMPLEMENTED;
    }

    private Map<String, byte[]> record(String key) {
      try {
        byte[] value = store.get(key.getBytes(StandardCharsets.UTF_8));
        if (value == null) {
          throw new IllegalStateException("wrong answer: an inserted record is absent: " + key);
        }
        Map<String, byte[]> record = new LinkedHashMap<>();
        ByteBuffer in = ByteBuffer.wrap(value);
        while (in.hasRemaining()) {
          byte[] name = new byte[in.getInt()];
          in.get(name);
          byte[] content = new byte[in.getInt()];
          in.get(content);
          record.put(new String(name, StandardCharsets.ISO_8859_1), content);
        }
        return record;
      } catch (Exception e) {
        throw new IllegalStateException("read failed: key=" + key, e);
      }
    }

    private Status put(String key, Map<String, byte[]> record) {
      try {
        int length = 0;
        for (Map.Entry<String, byte[]> field : record.entrySet()) {
          length += 2 * Integer.BYTES + field.getKey().length() + field.getValue().length;
        }
        ByteBuffer out = ByteBuffer.allocate(length);
        for (Map.Entry<String, byte[]> field : record.entrySet()) {
          out.putInt(field.getKey().length());
          out.put(field.getKey().getBytes(StandardCharsets.ISO_8859_1));
          out.putInt(field.getValue().length).put(field.getValue());
        }
        store.put(key.getBytes(StandardCharsets.UTF_8), out.array());
        return Status.OK;
      } catch (Exception e) {
        throw new IllegalStateException("write failed: key=" + key, e);
      }
    }
  }

  private StoreYcsb() {}

  public static void main(String[] arguments) throws Exception {
    StoreKind kind = arguments[0].equals(HEAP) ? new Heap() : StoreKind.named(arguments[0]);
    Path directory = Path.of(arguments[1]);
    Durability durability = Durability.valueOf(arguments[2]);
    int threads = Integer.parseInt(arguments[3]);
    int records = Integer.parseInt(arguments[4]);
    double seconds = Double.parseDouble(arguments[5]);
    Map<String, Double> figures = new TreeMap<>();
    Directories.delete(directory);
    try (Store store = kind.open(directory, Durability.OS, Integer.MAX_VALUE, records)) {
      CoreWorkload load = CORE.get(0).on(records);
      DB db = new Fields(store);
      long start = System.nanoTime();
      for (int i = 0; i < records; i++) {
        load.doInsert(db, null);
      }
      figures.put("load, inserts/s", records * SECOND / (System.nanoTime() - start));
    }
    try (Store store = kind.open(directory, durability, Integer.MAX_VALUE, records)) {
      run(CORE.get(0).on(records), store, threads, seconds); // compiles the code
      for (Core core : CORE) {
        double rate = run(core.on(records), store, threads, seconds);
        figures.put(core.name + ", operations/s", rate);
      }
    }
    Directories.delete(directory);
    JavaProcess.answer(arguments, figures);
  }

  /** Returns operations per second of all threads. */
  private static double run(CoreWorkload workload, Store store, int threads, double seconds)
      throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads, task -> new Thread(task, "ycsb"));
    try {
      long start = System.nanoTime();
      long end = start + (long) (seconds * SECOND);
      Callable<Long> client =
          () -> {
            DB db = new Fields(store);
            long done = 0;
            for (; System.nanoTime() < end; done++) {
              if (!workload.doTransaction(db, null)) {
                throw new IllegalStateException("an operation failed");
              }
            }
            return done;
          };
      List<Future<Long>> clients = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        clients.add(pool.submit(client));
      }
      long operations = 0;
      for (Future<Long> each : clients) {
        operations += each.get();
      }
      return operations * SECOND / (System.nanoTime() - start);
    } finally {
      pool.shutdown();
    }
  }
}
