package io.bsdb.benchmarks;

import io.bsdb.benchmarks.Results.Latency;
import io.bsdb.benchmarks.Results.Limit;
import io.bsdb.benchmarks.Results.PeerResult;
import io.bsdb.benchmarks.Results.Series;
import io.bsdb.benchmarks.Results.Size;
import io.bsdb.benchmarks.StoreRun.Asked;
import io.bsdb.benchmarks.peers.Peer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Opens and measures peers at one record count, in turn.
 *
 * @param rounds per measurement
 * @param queries of one round
 */
record Comparison(Sources sources, List<Peer> peers, Builds builds, int rounds, int queries) {

  /** What builds took, without lookups. */
  Size builtOnly() {
    return size("not asked for", null, Map.of(), Map.of());
  }

  Size run() throws IOException {
    Set<Path> directories = new TreeSet<>();
    List<StoreProcess> stores = new ArrayList<>();
    try {
      for (Peer peer : peers) {
        Progress.step("open %s", peer.name());
        if (peer.hasFiles()) {
          directories.add(sources.directory(peer));
          PageCache.warm(sources.directory(peer));
        }
        stores.add(StoreProcess.start(sources, peer, rounds, queries));
      }
      Rounds turns = new Rounds(stores, rounds);
      Map<String, Map<String, Series>> series = measure(turns);
      Progress.step("latencies");
      turns.measure("latency", Asked.UNIFORM);
      Map<String, List<Latency>> latencies = new LinkedHashMap<>();
      for (StoreProcess store : stores) {
        latencies.put(store.name(), store.latencies());
      }
      Limit memory = memory(directories);
      return size(PageCache.state(directories), memory, series, latencies);
    } finally {
      close(stores);
    }
  }

  private @Nullable Limit memory(Set<Path> directories) throws IOException {
    if (directories.isEmpty()) {
      return null;
    }
    return MemoryLimit.of(directories.iterator().next(), rounds);
  }

  private static Map<String, Map<String, Series>> measure(Rounds turns) throws IOException {
    Map<String, Map<String, Series>> series = new LinkedHashMap<>();
    Progress.step("check answers in full, which warms up");
    turns.prepare(Asked.UNIFORM);
    Progress.step(Measures.GET);
    series.put(Measures.GET, turns.measure("get", Asked.UNIFORM));
    Progress.step(Measures.GET_ALL);
    series.put(Measures.GET_ALL, turns.measure("getAll", Asked.UNIFORM));
    for (int count : Measures.threadCounts()) {
      Progress.step(Measures.threads(count));
      series.put(Measures.threads(count), turns.measure(Integer.toString(count), Asked.UNIFORM));
    }
    Progress.step(Measures.ZIPF);
    turns.prepare(Asked.ZIPF);
    series.put(Measures.ZIPF, turns.measure("get", Asked.ZIPF));
    Progress.step(Measures.ABSENT);
    turns.prepare(Asked.ABSENT);
    series.put(Measures.ABSENT, turns.measure("get", Asked.ABSENT));
    return series;
  }

  private Size size(
      String pageCache,
      @Nullable Limit memory,
      Map<String, Map<String, Series>> series,
      Map<String, List<Latency>> latencies) {
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
              builds.median(peer),
              builds.seconds(peer),
              own,
              latencies.getOrDefault(peer.name(), List.of()),
              null));
    }
    return new Size(
        sources.records().workload().records(), "", List.of(), pageCache, memory, results);
  }

  private static void close(List<StoreProcess> stores) throws IOException {
    IOException failure = null;
    for (StoreProcess store : stores) {
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
