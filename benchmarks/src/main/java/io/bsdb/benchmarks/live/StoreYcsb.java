package io.bsdb.benchmarks.live;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Workers;
import io.bsdb.benchmarks.live.StoreTasks.Target;
import io.bsdb.benchmarks.peers.HashStore;
import io.bsdb.benchmarks.peers.Store;
import io.bsdb.live.Durability;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
import org.jspecify.annotations.Nullable;
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
record StoreYcsb(Target target, Durability durability, int threads, double seconds)
    implements Callable<Map<String, Double>> {
  /** Names what is no store, for comparison: it takes no time to speak of, the rest is YCSB's. */
  static final String HEAP = "HEAP";

  private static final double SECOND = 1e9;

  /**
   * A core workload.
   *
   * @param properties as one of YCSB's files {@code workloads/*} has them
   */
  private record Core(String name, String properties) {
    CoreWorkload on(int records) throws Exception {
      Properties all = new Properties();
      all.setProperty(CoreWorkload.REQUEST_DISTRIBUTION_PROPERTY, "zipfian");
      all.load(new StringReader(properties.replace(' ', '\n')));
      all.setProperty("recordcount", Integer.toString(records));
      all.setProperty("operationcount", Integer.toString(records));
      Measurements.setProperties(all);
      CoreWorkload workload = new CoreWorkload();
      workload.init(all);
      return workload;
    }
  }

  /** The one that inserts is the last. */
  private static final List<Core> CORE =
      List.of(
          new Core("A", "readproportion=0.5 updateproportion=0.5"),
          new Core("B", "readproportion=0.95 updateproportion=0.05"),
          new Core("C", "readproportion=1 updateproportion=0"),
          new Core("F", "readproportion=0.5 updateproportion=0 readmodifywriteproportion=0.5"),
          new Core(
              "D",
              "readproportion=0.95 updateproportion=0 insertproportion=0.05"
                  + " requestdistribution=latest"));

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

  @Override
  public Map<String, Double> call() throws Exception {
    Map<String, Double> figures = new TreeMap<>();
    Map<ByteBuffer, byte[]> heap = new ConcurrentHashMap<>();
    Directories.delete(target.directory());
    try (Store store = open(Durability.OS, heap)) {
      CoreWorkload load = CORE.get(0).on(target.records());
      DB db = new Fields(store);
      long start = System.nanoTime();
      for (int i = 0; i < target.records(); i++) {
        load.doInsert(db, null);
      }
      figures.put("load, inserts/s", target.records() * SECOND / (System.nanoTime() - start));
    }
    try (Store store = open(durability, heap)) {
      run(CORE.get(0), store); // compiles the code
      for (Core core : CORE) {
        figures.put(core.name + ", operations/s", run(core, store));
      }
    }
    Directories.delete(target.directory());
    return figures;
  }

  private Store open(Durability opened, Map<ByteBuffer, byte[]> heap) throws Exception {
    return target.kind().equals(HEAP)
        ? new HashStore(heap)
        : target.open(opened, Integer.MAX_VALUE);
  }

  /** Returns operations per second of all threads. */
  private double run(Core core, Store store) throws Exception {
    CoreWorkload workload = core.on(target.records());
    long start = System.nanoTime();
    long end = start + (long) (seconds * SECOND);
    List<Long> operations =
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
    return operations.stream().mapToLong(n -> n).sum() * SECOND / (System.nanoTime() - start);
  }
}
