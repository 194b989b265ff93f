package io.bsdb.benchmarks.layouts;

import com.fasterxml.jackson.core.type.TypeReference;
import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Measure;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Peers;
import io.bsdb.benchmarks.peers.Store;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A store that is built in one process, and read in another that answers line by line. */
final class LayoutRun implements Closeable {
  private static final int QUERIES = 1 << 17;

  /** For what is looked up, and the keys. */
  private static final List<String> READER_HEAP =
      List.of("-XX:+AlwaysPreTouch", "-Xms512m", "-Xmx512m");

  private final JavaProcess process;

  private LayoutRun(JavaProcess process) {
    this.process = process;
  }

  /** Builds a store; returns how many seconds it took. */
  static double build(Path directory, long records, String data, Peer peer)
      throws IOException, InterruptedException {
    return JavaProcess.call(
        new TypeReference<>() {},
        List.of(),
        LayoutRun.class,
        directory,
        records,
        data,
        peer.name());
  }

  /** Opens a store, which must be built. */
  static LayoutRun open(Path directory, long records, String data, Peer peer) throws IOException {
    return new LayoutRun(
        JavaProcess.start(READER_HEAP, LayoutRun.class, directory, records, data, peer.name()));
  }

  /**
   * Looks all queries up; returns nanoseconds per key.
   *
   * @param way {@code get} or {@code getAll}
   */
  double nanos(String way) throws IOException {
    return Double.parseDouble(process.ask(way));
  }

  @Override
  public void close() throws IOException {
    process.close();
  }

  /** Returns where the files of a store are. */
  static Path files(Path directory, DataFile data, Peer peer) {
    return directory.resolve(data.path().getFileName() + "-" + peer.files());
  }

  /** Arguments: directory, records, data set, name of the peer; to build, a file for the answer. */
  public static void main(String[] arguments) throws Exception {
    PrintStream answers = JavaProcess.answers();
    Path directory = Path.of(arguments[0]);
    DataFile data = DataFile.of(directory, arguments[2], Long.parseLong(arguments[1]));
    Peer peer = Peers.named(List.of(arguments[3])).get(0);
    Path files = files(directory, data, peer);
    if (arguments.length > 4) {
      Directories.delete(files);
      Files.createDirectories(files);
      long start = System.nanoTime();
      peer.build(data, files);
      JavaProcess.answer(arguments, (System.nanoTime() - start) / 1e9);
      return;
    }
    Directories.warm(files);
    try (Store store = peer.open(data, files)) {
      byte[][] keys = keys(arguments[2], data.count());
      JavaProcess.converse(
          answers,
          way -> {
            read(store, keys, way); // so that no other store's turn shows
            long start = System.nanoTime();
            read(store, keys, way);
            return Double.toString((System.nanoTime() - start) / (double) keys.length);
          });
    }
  }

  private static byte[][] keys(String name, long records) throws IOException {
    DataSet data = DataSet.named(name);
    SplittableRandom random = new SplittableRandom(42);
    byte[][] keys = new byte[(int) Math.min(QUERIES, records / Measure.BATCH * Measure.BATCH)][];
    Arrays.setAll(keys, i -> data.key(random.nextLong(records)));
    return keys;
  }

  private static void read(Store store, byte[][] keys, String way) throws IOException {
    if (way.equals("get")) {
      for (byte[] key : keys) {
        check(key, store.get(key));
      }
      return;
    }
    for (int i = 0; i < keys.length; i += Measure.BATCH) {
      byte[][] batch = Arrays.copyOfRange(keys, i, i + Measure.BATCH);
      List<byte[]> values = store.getAll(Arrays.asList(batch));
      for (int j = 0; j < batch.length; j++) {
        check(batch[j], values.get(j));
      }
    }
  }

  private static void check(byte[] key, byte @Nullable [] value) {
    if (value == null) {
      throw new IllegalStateException("a record is missing: key=" + Arrays.toString(key));
    }
  }
}
