package io.bsdb.benchmarks;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Measure;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Peers;
import io.bsdb.benchmarks.peers.Store;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * A store that is open in a process of its own and answers when it is asked, one line to a line. So
 * neither compiled code nor garbage of one store is in another's way, and each is as alone as in a
 * program that uses no other.
 */
record StoreProcess(Peer peer, Row row, int length, JavaProcess process) implements Closeable {
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
            new Serving(
                builds.data(),
                builds.records().workload().data().name(),
                builds.count(),
                peer.name(),
                rounds,
                length));
    Row row = new Row(peer.name(), peer.configuration());
    StoreProcess started = new StoreProcess(peer, row, length, process);
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

  /** The work of the process: opens a store and answers requests. */
  record Serving(Path data, String set, long records, String name, int rounds, int length)
      implements Callable<Void> {
    @Override
    public Void call() throws Exception {
      Builds builds = Builds.of(data, set, records, "");
      Peer peer = Peers.one(name);
      try (Store store = peer.open(builds.records(), builds.directory(peer))) {
        StoreRun run =
            new StoreRun(store, builds.records().workload(), rounds, length, System::nanoTime);
        JavaProcess.converse(question -> answer(run, question.split(" ", -1)));
      }
      return null;
    }
  }

  private static String answer(StoreRun run, String[] question) throws Exception {
    return switch (question[0]) {
      case "open" -> "ready";
      case "percentiles" -> JSON.writeValueAsString(run.latencies());
      case "order" -> Long.toString(run.orderedHash());
      case "prepare" -> {
        run.prepare(Keys.valueOf(question[1]));
        yield "done " + run.received();
      }
      default -> {
        int number = Integer.parseInt(question[2]);
        Measure measure = new Measure("", question[0], number, Keys.valueOf(question[1]));
        yield Long.toString(run.measure(measure, Integer.parseInt(question[3])));
      }
    };
  }
}
