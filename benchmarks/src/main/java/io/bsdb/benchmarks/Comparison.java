package io.bsdb.benchmarks;

import io.bsdb.benchmarks.Results.Latency;
import io.bsdb.benchmarks.Results.Limit;
import io.bsdb.benchmarks.Results.PeerResult;
import io.bsdb.benchmarks.Results.Series;
import io.bsdb.benchmarks.Results.Size;
import io.bsdb.benchmarks.Workload.Distribution;
import io.bsdb.benchmarks.Workload.Queries;
import io.bsdb.benchmarks.Workload.Share;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Store;
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
 * Opens and measures all peers at one record count.
 *
 * @param rounds per measurement
 * @param queries of one round
 */
record Comparison(Sources sources, List<Peer> peers, Builds builds, int rounds, int queries) {

  /** What builds took, without lookups. */
  Size builtOnly() {
    return size("not asked for", null, Map.of(), Map.of());
  }

  Size run() throws Exception {
    Workload workload = sources.records().workload();
    Set<Path> directories = new TreeSet<>();
    Map<String, Store> stores = new LinkedHashMap<>();
    try {
      for (Peer peer : peers) {
        Progress.step("open %s", peer.name());
        Path directory = sources.directory(peer);
        if (peer.hasFiles()) {
          directories.add(directory);
          PageCache.warm(directory);
        }
        stores.put(peer.name(), peer.open(sources.records(), directory));
      }
      Rounds turns = new Rounds(stores, rounds, queries);
      Queries uniform = workload.queries(Distribution.UNIFORM, Share.MIXED);
      Map<String, Map<String, Series>> series = measure(turns, uniform, workload);
      Progress.step("latencies");
      Map<String, List<Latency>> latencies = turns.latencies(uniform);
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
    return MemoryLimit.of(PageCache.largestFile(directories.iterator().next()), rounds);
  }

  private static Map<String, Map<String, Series>> measure(
      Rounds turns, Queries uniform, Workload workload) throws Exception {
    Map<String, Map<String, Series>> series = new LinkedHashMap<>();
    Progress.step("check answers in full, which warms up");
    turns.prepare(uniform);
    Progress.step(Measures.GET);
    series.put(Measures.GET, turns.gets(uniform));
    Progress.step(Measures.GET_ALL);
    series.put(Measures.GET_ALL, turns.batches(uniform));
    for (int count : Measures.threadCounts()) {
      Progress.step(Measures.threads(count));
      series.put(Measures.threads(count), turns.threads(uniform, count));
    }
    Progress.step(Measures.ZIPF);
    Queries zipf = workload.queries(Distribution.ZIPF, Share.MIXED);
    turns.prepare(zipf);
    series.put(Measures.ZIPF, turns.gets(zipf));
    Progress.step(Measures.ABSENT);
    Queries absent = workload.queries(Distribution.UNIFORM, Share.ABSENT);
    turns.prepare(absent);
    series.put(Measures.ABSENT, turns.gets(absent));
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
              latencies.getOrDefault(peer.name(), List.of())));
    }
    return new Size(sources.records().workload().records(), pageCache, memory, results);
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
