package io.bsdb.benchmarks;

import io.bsdb.benchmarks.Results.PeerResult;
import io.bsdb.benchmarks.Results.Series;
import io.bsdb.benchmarks.Results.Size;
import io.bsdb.benchmarks.Workload.Distribution;
import io.bsdb.benchmarks.Workload.Queries;
import io.bsdb.benchmarks.Workload.Share;
import io.bsdb.benchmarks.peers.BuildProcess;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Store;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds, opens and measures all peers at one record count.
 *
 * @param data where files go
 * @param rounds per measurement
 * @param buildHeap for the processes that build, as {@code -Xmx} takes it
 */
record Comparison(Path data, int rounds, String buildHeap) {

  Size run(Workload workload, List<Peer> peers) throws Exception {
    Progress.step("write the records to build from: %,d", workload.records());
    RecordFile records = RecordFile.of(data, workload);
    Map<String, BuildProcess.Cost> costs = new LinkedHashMap<>();
    long bytes = 0;
    for (Peer peer : peers) {
      if (peer.hasFiles() && !costs.containsKey(peer.files())) {
        Progress.step("build %s", peer.files());
        BuildProcess.Cost cost = BuildProcess.run(peer, records, data, buildHeap);
        costs.put(peer.files(), cost);
        bytes += cost.bytesOnDisk();
      }
    }
    Map<String, Store> stores = new LinkedHashMap<>();
    try {
      for (Peer peer : peers) {
        Progress.step("open %s", peer.name());
        Path directory = BuildProcess.directory(peer, records, data);
        if (peer.hasFiles()) {
          BuildProcess.warm(directory);
        }
        stores.put(peer.name(), peer.open(records, directory));
      }
      return new Size(
          workload.records(), pageCache(bytes), measure(workload, peers, costs, stores));
    } finally {
      close(stores);
    }
  }

  private static String pageCache(long bytes) throws IOException {
    long available = Machine.availableMemoryBytes();
    return "warm: every file was read before; %,d MiB of files, %,d MiB available%s"
        .formatted(
            bytes >> 20,
            available >> 20,
            bytes < available ? "" : " (so not all of it can have stayed)");
  }

  private List<PeerResult> measure(
      Workload workload,
      List<Peer> peers,
      Map<String, BuildProcess.Cost> costs,
      Map<String, Store> stores)
      throws Exception {
    Rounds turns = new Rounds(stores, rounds);
    Queries uniform = workload.queries(Distribution.UNIFORM, Share.MIXED);
    Progress.step("check answers in full, which warms up");
    turns.verify(uniform);
    Map<String, Map<String, Series>> series = new LinkedHashMap<>();
    Progress.step("get, one thread");
    series.put(Measures.GET, turns.gets(uniform));
    Progress.step("getAll");
    series.put(Measures.GET_ALL, turns.batches(uniform));
    Progress.step("get, two threads");
    series.put(Measures.TWO_THREADS, turns.threads(uniform, 2));
    Progress.step("get, Zipf keys");
    series.put(Measures.ZIPF, turns.gets(workload.queries(Distribution.ZIPF, Share.MIXED)));
    Progress.step("get, absent keys");
    series.put(Measures.ABSENT, turns.gets(workload.queries(Distribution.UNIFORM, Share.ABSENT)));
    Progress.step("latencies");
    Map<String, Map<String, Double>> latencies = turns.latencies(uniform);
    List<PeerResult> results = new ArrayList<>();
    for (Peer peer : peers) {
      Map<String, Series> own = new LinkedHashMap<>();
      series.forEach(
          (what, all) -> {
            Series one = all.get(peer.name());
            if (one != null) {
              own.put(what, one);
            }
          });
      results.add(
          new PeerResult(
              peer.name(),
              peer.configuration(),
              costs.get(peer.files()),
              own,
              latencies.getOrDefault(peer.name(), Map.of())));
    }
    return results;
  }

  private static void close(Map<String, Store> stores) throws IOException {
    IOException failure = null;
    for (Store store : stores.values()) {
      try {
        store.close();
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
