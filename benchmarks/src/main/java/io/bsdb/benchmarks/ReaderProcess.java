package io.bsdb.benchmarks;

import io.bsdb.benchmarks.harness.DataSet;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.RecordFile;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.harness.Workload.Queries;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Peers;
import io.bsdb.benchmarks.peers.Store;
import java.io.PrintStream;
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
  private static final int BATCH = 64;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final List<byte[]> keys;
  private final List<List<byte[]>> batches;

  private ReaderProcess(Queries queries) {
    keys = queries.keys(0, QUERIES);
    batches = queries.batches(BATCH);
  }

  /** Runs the process. */
  public static void main(String[] arguments) throws Exception {
    PrintStream answers = JavaProcess.answers();
    Path directory = Path.of(arguments[0]);
    DataSet data = DataSet.named(arguments[2].equals("varying") ? "varying" : "json");
    RecordFile records = RecordFile.of(directory, new Workload(data, Long.parseLong(arguments[1])));
    ReaderProcess process = new ReaderProcess(records.workload().queries(Keys.UNIFORM, QUERIES));
    try (Store bsdb = open("bsdb-blocked", records, directory.resolve("bsdb"));
        Store rocksDb = open("rocksdb-ingest", records, directory.resolve("rocksdb"))) {
      process.writeKeys(directory.resolve("keys"));
      answers.println("ready");
      JavaProcess.converse(
          line -> {
            String[] question = line.split(" ", -1);
            return process.answer(question[0].equals("bsdb") ? bsdb : rocksDb, question[1]);
          });
    }
  }

  private static Store open(String name, RecordFile records, Path directory) throws Exception {
    Peer peer = Peers.one(name);
    if (!Files.exists(directory)) {
      Path part = directory.resolveSibling(directory.getFileName() + ".part");
      Files.createDirectories(part);
      peer.build(records, part);
      Files.move(part, directory);
    }
    return peer.open(records, directory);
  }

  /** Writes the keys one after the other, for the other readers. */
  private void writeKeys(Path file) throws Exception {
    byte[] bytes = new byte[QUERIES * Workload.KEY_LENGTH];
    for (int i = 0; i < QUERIES; i++) {
      System.arraycopy(keys.get(i), 0, bytes, i * Workload.KEY_LENGTH, Workload.KEY_LENGTH);
    }
    Files.write(file, bytes);
  }

  private String answer(Store store, String way) throws Exception {
    long start = THREADS.getCurrentThreadCpuTime();
    long bytes = way.equals("get") ? get(store) : getAll(store);
    return (THREADS.getCurrentThreadCpuTime() - start) + " " + bytes;
  }

  private long get(Store store) throws Exception {
    long bytes = 0;
    for (byte[] key : keys) {
      bytes += length(store.get(key));
    }
    return bytes;
  }

  private long getAll(Store store) throws Exception {
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
