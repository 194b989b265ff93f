package io.bsdb.benchmarks.live;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bsdb.benchmarks.harness.Workers;
import io.bsdb.benchmarks.live.StoreTasks.Target;
import io.bsdb.benchmarks.peers.MapStore;
import io.bsdb.benchmarks.peers.Store;
import io.bsdb.live.Durability;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import site.ycsb.BasicDB;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/**
 * YCSB's core workloads A, B, C, F and D, in this order, with one store, in a process of its own:
 * operations per second by name. Records are YCSB's: ten fields of 100 bytes under keys like {@code
 * user6284781860667377211}. The first inserts are left to the operating system; then the store is
 * opened again.
 *
 * @param seconds of each workload
 */
record StoreYcsb(Target target, int threads, double seconds)
    implements Callable<Map<String, Double>> {
  /** Names what is no store, for comparison: it takes no time to speak of, the rest is YCSB's. */
  static final String HEAP = "heap";

  private static final double SECOND = 1e9;

  /** Properties of the workloads, as YCSB's files have them. The one that inserts is the last. */
  private static final List<String> CORE =
      List.of(
          "name=A readproportion=0.5 updateproportion=0.5",
          "name=B readproportion=0.95 updateproportion=0.05",
          "name=C readproportion=1 updateproportion=0",
          "name=F readproportion=0.5 updateproportion=0 readmodifywriteproportion=0.5",
          "name=D readproportion=0.95 updateproportion=0 insertproportion=0.05"
              + " requestdistribution=latest");

  private CoreWorkload workload(String properties) throws Exception {
    Properties all = new Properties();
    all.setProperty(CoreWorkload.REQUEST_DISTRIBUTION_PROPERTY, "zipfian");
    all.load(new StringReader(properties.replace(' ', '\n')));
    all.setProperty("recordcount", Integer.toString(target.records()));
    all.setProperty("operationcount", Integer.toString(target.records()));
    Measurements.setProperties(all);
    CoreWorkload workload = new CoreWorkload();
    workload.init(all);
    return workload;
  }

  /** A store as YCSB drives it: all fields of a record are one value. Nothing is scanned. */
  private static final class Fields extends BasicDB {
    private final Store store;

    Fields(Store store) {
      this.store = store;
    }

    @Override
    public Status read(
        String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
      Map<String, byte[]> record = record(key);
      record.keySet().removeIf(name -> fields != null && !fields.contains(name));
      record.forEach((name, value) -> result.put(name, new ByteArrayByteIterator(value)));
      return Status.OK;
    }

    @Override
    public Status update(String table, String key, Map<String, ByteIterator> values) {
      return put(key, record(key), values);
    }

    @Override
    public Status insert(String table, String key, Map<String, ByteIterator> values) {
      return put(key, new LinkedHashMap<>(), values);
    }

    private static byte[] next(ByteBuffer in) {
      byte[] bytes = new byte[in.getInt()];
      in.get(bytes);
      return bytes;
    }

    private Map<String, byte[]> record(String key) {
      Map<String, byte[]> record = new LinkedHashMap<>();
      try {
        byte[] value = store.get(key.getBytes(UTF_8));
        if (value == null) {
          throw new IllegalStateException("wrong answer: an inserted record is absent");
        }
        ByteBuffer in = ByteBuffer.wrap(value);
        while (in.hasRemaining()) {
          record.put(new String(next(in), UTF_8), next(in));
        }
        return record;
      } catch (Exception e) {
        throw new IllegalStateException("read failed: key=" + key, e);
      }
    }

    private Status put(String key, Map<String, byte[]> record, Map<String, ByteIterator> values) {
      values.forEach((name, value) -> record.put(name, value.toArray()));
      int length = 0;
      for (Map.Entry<String, byte[]> field : record.entrySet()) {
        length += 2 * Integer.BYTES + field.getKey().length() + field.getValue().length;
      }
      ByteBuffer out = ByteBuffer.allocate(length);
      record.forEach(
          (name, value) ->
              out.putInt(name.length()).put(name.getBytes(UTF_8)).putInt(value.length).put(value));
      try {
        store.put(key.getBytes(UTF_8), out.array());
        return Status.OK;
      } catch (Exception e) {
        throw new IllegalStateException("write failed: key=" + key, e);
      }
    }
  }

  @Override
  public Map<String, Double> call() throws Exception {
    Map<String, Double> figures = new TreeMap<>();
    boolean isHeap = target.store().equals(HEAP);
    Store heap = new MapStore(new ConcurrentHashMap<>());
    try (Store store = isHeap ? heap : target.open(Durability.OS)) {
      CoreWorkload load = workload(CORE.get(0));
      DB db = new Fields(store);
      for (int i = 0; i < target.records(); i++) {
        load.doInsert(db, null);
      }
    }
    try (Store store = isHeap ? heap : target.open(target.durability())) {
      run(CORE.get(0), store); // compiles the code
      for (String core : CORE) {
        figures.put(core.charAt("name=".length()) + ", operations/s", run(core, store));
      }
    }
    return figures;
  }

  /** Returns operations per second of all threads. */
  private double run(String properties, Store store) throws Exception {
    CoreWorkload workload = workload(properties);
    long start = System.nanoTime();
    long end = start + (long) (seconds * SECOND);
    long operations =
        Workers.run(
            threads,
            thread -> {
              DB db = new Fields(store);
              long done = 0;
              for (; System.nanoTime() < end; done++) {
                if (!workload.doTransaction(db, null)) {
                  throw new IllegalStateException("an operation failed");
                }
              }
              return done;
            });
    return operations * SECOND / (System.nanoTime() - start);
  }
}
