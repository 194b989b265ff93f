package io.bsdb.benchmarks;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Measure;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Peers;
import io.bsdb.benchmarks.peers.Store;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A store that is open in a process of its own and answers when it is asked, one line to a line. So
 * neither compiled code nor garbage of one store is in another's way, and each is as alone as in a
 * program that uses no other.
 */
record StoreProcess(Peer peer, int length, JavaProcess process) implements Closeable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** For values that are looked up, and for what stores need beside records. */
  private static final long HEAP_BYTES = 512L << 20;

  /** Key, digest and place in a list of each query of each kind. */
  private static final long QUERY_BYTES = 64L * Keys.values().length;

  /** Starts one; it is open when this returns. See {@link StoreRun} for rounds and length. */
  static StoreProcess start(Builds builds, Peer peer, int rounds, int length) throws IOException {
    long heap = heapBytes(peer, builds.count(), StoreRun.queries(rounds, length));
    JavaProcess process =
        JavaProcess.start(
            // A heap whose memory the process has from the start. Else the values that a store
            // copies are the first to touch it, for hundreds of nanoseconds each.
            List.of("-XX:+AlwaysPreTouch", "-Xms" + heap, "-Xmx" + heap),
            StoreProcess.class,
            builds.data(),
            builds.records().workload().data().name(),
            builds.count(),
            peer.name(),
            rounds,
            length);
    StoreProcess started = new StoreProcess(peer, length, process);
    try {
      process.ask("open");
    } catch (IOException e) {
      process.close();
      throw e;
    }
    return started;
  }

  /** Returns the heap that a store's process gets. */
  static long heapBytes(Peer peer, long records, int queries) {
    return HEAP_BYTES + QUERY_BYTES * queries + peer.heapBytes(records);
  }

  /** Looks up, once and untimed, all keys that the rounds will look up. */
  void prepare(Keys keys) throws IOException {
    process.ask("prepare " + keys);
  }

  /** Returns a hash of floors and ranges, which is the same for all stores. */
  String orderedHash() throws IOException {
    return process.ask("order");
  }

  /** Returns nanoseconds per key. */
  double measure(Measure measure, int round) throws IOException {
    return Double.parseDouble(
            process.ask(
                "%s %s %d %d".formatted(measure.way(), measure.keys(), measure.number(), round)))
        / length;
  }

  /** Returns nanoseconds by name of the percentile, of all that was timed as latency. */
  Map<String, Double> latencies() throws IOException {
    return JSON.readValue(process.ask("percentiles"), new TypeReference<>() {});
  }

  @Override
  public void close() throws IOException {
    process.close();
  }

  /** Arguments: data directory, data set, records, name of the peer, rounds, length. */
  public static void main(String[] arguments) throws Exception {
    PrintStream answers = JavaProcess.answers();
    Builds builds =
        Builds.of(Path.of(arguments[0]), arguments[1], Long.parseLong(arguments[2]), "");
    Peer peer = Peers.one(arguments[3]);
    int rounds = Integer.parseInt(arguments[4]);
    int length = Integer.parseInt(arguments[5]);
    try (Store store = peer.open(builds.records(), builds.directory(peer))) {
      StoreRun run =
          new StoreRun(store, builds.records().workload(), rounds, length, System::nanoTime);
      JavaProcess.converse(answers, question -> answer(run, question.split(" ", -1)));
    }
  }

  private static String answer(StoreRun run, String[] question) throws Exception {
    switch (question[0]) {
      case "open" -> {
        return "ready";
      }
      case "percentiles" -> {
        return JSON.writeValueAsString(run.latencies());
      }
      case "order" -> {
        return Long.toString(run.orderedHash());
      }
      case "prepare" -> {
        run.prepare(Keys.valueOf(question[1]));
        return "done " + run.received();
      }
      default -> {
        int number = Integer.parseInt(question[2]);
        Measure measure = new Measure("", question[0], number, Keys.valueOf(question[1]));
        return Long.toString(run.measure(measure, Integer.parseInt(question[3])));
      }
    }
  }
}
