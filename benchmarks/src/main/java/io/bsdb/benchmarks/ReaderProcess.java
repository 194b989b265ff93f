package io.bsdb.benchmarks;

import io.bsdb.benchmarks.harness.DataSet;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Measure;
import io.bsdb.benchmarks.harness.RecordFile;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Store;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds what {@code benchmarks/readers} compares, then answers each line {@code STORE get} or
 * {@code STORE getAll} with processor time in nanoseconds and bytes of values. Arguments:
 * directory, number of records, {@code fixed} or {@code varying} length.
 */
public final class ReaderProcess {
  private static final int QUERIES = 1 << 18;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private ReaderProcess() {}

  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    DataSet data = arguments[2].equals("varying") ? DataSet.VARYING : DataSet.JSON;
    RecordFile records = RecordFile.of(directory, new Workload(data, Long.parseLong(arguments[1])));
    var queries = records.workload().queries(Keys.UNIFORM, QUERIES);
    List<byte[]> keys = queries.keys(0, QUERIES);
    List<List<byte[]>> batches = queries.batches(Measure.BATCH);
    try (Store bsdb = open("bsdb-blocked", records, directory.resolve("bsdb"));
        Store rocksDb = open("rocksdb-ingest", records, directory.resolve("rocksdb"))) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      keys.forEach(all::writeBytes);
      Files.write(directory.resolve("keys"), all.toByteArray()); // for the other readers
      JavaProcess.converse(
          line -> {
            Store store = line.startsWith("bsdb") ? bsdb : rocksDb;
            long start = THREADS.getCurrentThreadCpuTime();
            long bytes = line.endsWith("getAll") ? getAll(store, batches) : get(store, keys);
            return (THREADS.getCurrentThreadCpuTime() - start) + " " + bytes;
          });
    }
  }

  private static Store open(String name, RecordFile records, Path directory) throws Exception {
    Peer peer = Peer.one(name);
    if (!Files.exists(directory)) {
      Path part = directory.resolveSibling(directory.getFileName() + ".part");
      Files.createDirectories(part);
      peer.build().accept(records, part);
      Files.move(part, directory);
    }
    return peer.open().apply(records, directory);
  }

  private static long get(Store store, List<byte[]> keys) throws Exception {
    long bytes = 0;
    for (byte[] key : keys) {
      bytes += length(store.get(key));
    }
    return bytes;
  }

  private static long getAll(Store store, List<List<byte[]>> batches) throws Exception {
    long bytes = 0;
    for (List<byte[]> batch : batches) {
      for (byte[] value : store.getAll(batch)) {
        bytes += length(value);
      }
    }
    return bytes;
  }

  private static int length(byte @Nullable [] value) {
    return value == null ? 0 : value.length;
  }
}
