package io.bsdb.benchmarks.readers;

import io.bsdb.benchmarks.harness.Records;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.harness.Workload.Queries;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Peers;
import io.bsdb.benchmarks.peers.Store;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
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
  private static final int SHORTEST = 20;
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final List<byte[]> keys;
  private final List<List<byte[]>> batches;

  private ReaderProcess(Queries queries) {
    keys = queries.keys(0, QUERIES);
    batches = queries.batches(BATCH);
  }

  /**
   * Records whose values have 100 bytes, or 20 to 100.
   *
   * @param workload makes them up
   */
  private record Shape(Workload workload, boolean varying) implements Records {
    @Override
    public long count() {
      return workload.records();
    }

    @Override
    public void forEach(Receiver receiver) throws IOException {
      for (long id = 0; id < count(); id++) {
        receiver.accept(workload.key(id), value(id));
      }
    }

    @Override
    public void forEachSorted(Receiver receiver) throws IOException {
      for (long id : workload.idsByKey()) {
        receiver.accept(workload.key(id), value(id));
      }
    }

    private byte[] value(long id) {
      byte[] value = workload.value(id);
      int spread = Workload.VALUE_LENGTH + 1 - SHORTEST;
      return varying
          ? Arrays.copyOf(value, SHORTEST + (int) Long.remainderUnsigned(Workload.mix(id), spread))
          : value;
    }
  }

  /** Runs the process. */
  public static void main(String[] arguments) throws IOException {
    // Answers alone go to standard output, whatever libraries print.
    PrintStream answers = System.out;
    System.setOut(System.err);
    Path directory = Path.of(arguments[0]);
    Records records =
        new Shape(new Workload(Long.parseLong(arguments[1])), arguments[2].equals("varying"));
    Queries queries = ((Shape) records).workload().queries(Keys.UNIFORM, QUERIES);
    ReaderProcess process = new ReaderProcess(queries);
    try (Store bsdb = open("bsdb-blocked", records, directory.resolve("bsdb"));
        Store rocksDb = open("rocksdb-ingest", records, directory.resolve("rocksdb"));
        BufferedReader questions =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      process.writeKeys(directory.resolve("keys"));
      answers.println("ready");
      for (String line = questions.readLine(); line != null; line = questions.readLine()) {
        String[] question = line.split(" ", -1);
        answers.println(process.answer(question[0].equals("bsdb") ? bsdb : rocksDb, question[1]));
      }
    }
  }

  private static Store open(String name, Records records, Path directory) throws IOException {
    Peer peer = Peers.named(List.of(name)).get(0);
    if (!Files.exists(directory)) {
      Path part = directory.resolveSibling(directory.getFileName() + ".part");
      Files.createDirectories(part);
      peer.build(records, part);
      Files.move(part, directory);
    }
    return peer.open(records, directory);
  }

  /** Writes the keys one after the other, for the other readers. */
  private void writeKeys(Path file) throws IOException {
    byte[] bytes = new byte[QUERIES * Workload.KEY_LENGTH];
    for (int i = 0; i < QUERIES; i++) {
      System.arraycopy(keys.get(i), 0, bytes, i * Workload.KEY_LENGTH, Workload.KEY_LENGTH);
    }
    Files.write(file, bytes);
  }

  private String answer(Store store, String way) throws IOException {
    long start = THREADS.getCurrentThreadCpuTime();
    long bytes = way.equals("get") ? get(store) : getAll(store);
    return (THREADS.getCurrentThreadCpuTime() - start) + " " + bytes;
  }

  private long get(Store store) throws IOException {
    long bytes = 0;
    for (byte[] key : keys) {
      bytes += length(store.get(key));
    }
    return bytes;
  }

  private long getAll(Store store) throws IOException {
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
