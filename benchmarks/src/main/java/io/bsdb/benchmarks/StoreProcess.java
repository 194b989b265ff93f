package io.bsdb.benchmarks;

import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Store;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A store that is open in a process of its own and answers when it is asked. So neither compiled
 * code nor garbage of one store is in another's way, and each is as alone as in a program that uses
 * no other.
 */
record StoreProcess(Peer peer, Row row, JavaProcess process) implements Closeable {
  /** For values that are looked up, and for what stores need beside records. */
  private static final long HEAP_BYTES = 512L << 20;

  /** Key, digest and place in a list of each query of each kind. */
  private static final long QUERY_BYTES = 64L * Keys.values().length;

  /** Starts one; it is open when this returns. See {@link StoreRun} for rounds and length. */
  static StoreProcess start(Builds builds, Peer peer, int rounds, int length) throws IOException {
    long heap = heapBytes(peer, builds.count(), StoreRun.queries(rounds, length));
    JavaProcess process =
        new JavaProcess(
            // A heap whose memory the process has from the start. Else the values that a store
            // copies are the first to touch it, for hundreds of nanoseconds each.
            List.of("-XX:+AlwaysPreTouch", "-Xms" + heap, "-Xmx" + heap),
            new Serving(builds, peer.name(), rounds, length));
    try {
      process.answer();
    } catch (IOException e) {
      process.close();
      throw e;
    }
    return new StoreProcess(peer, new Row(peer.name(), peer.configuration()), process);
  }

  /** Returns the heap that a store's process gets. */
  static long heapBytes(Peer peer, long records, int queries) {
    return HEAP_BYTES + QUERY_BYTES * queries + records * peer.heapBytes();
  }

  /** Returns the answer to a request of {@link StoreRun#answer}. */
  double ask(String request) throws IOException {
    return Double.parseDouble(process.ask(request));
  }

  @Override
  public void close() throws IOException {
    process.close();
  }

  /** The work of the process: opens a store and answers requests. */
  record Serving(Builds builds, String name, int rounds, int length)
      implements Callable<@Nullable Void> {
    @Override
    public @Nullable Void call() throws Exception {
      Peer peer = Peer.one(name);
      try (Store store = peer.open().open(builds.records(), builds.directory(peer))) {
        JavaProcess.converse(
            new StoreRun(store, builds.records().workload(), rounds, length, System::nanoTime)
                ::answer);
      }
      return null;
    }
  }
}
