package io.bsdb.benchmarks;

import io.bsdb.benchmarks.Results.PeerResult;
import io.bsdb.benchmarks.Results.Size;
import io.bsdb.benchmarks.peers.BuildProcess;
import io.bsdb.benchmarks.peers.Peer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Measures lookups in the stores of one record count, together or one at a time: see {@link
 * MemoryPlan}.
 *
 * @param rounds per measurement
 * @param queries of one round
 */
record Turns(Sources sources, List<Peer> peers, int rounds, int queries) {

  /** Builds what is not there yet, and measures. */
  Size run() throws IOException, InterruptedException {
    Builds builds = Builds.missing(sources, peers);
    MemoryPlan plan = plan(peers);
    List<Peer> running = running(peers, plan);
    Progress.step("%s", plan.words());
    if (plan.isTogether()) {
      return comparison(running, builds).run().with(plan.words(), leftOut(plan));
    }
    List<Size> alone = new ArrayList<>();
    List<String> leftOut = leftOut(plan);
    for (Peer peer : running) {
      measure(peer, builds, alone, leftOut);
    }
    return merged(alone).with(plan.words(), leftOut);
  }

  /** Builds and measures one store after the other, and deletes files that no later one needs. */
  Size runAndDiscard() throws IOException, InterruptedException {
    List<Size> alone = new ArrayList<>();
    List<String> leftOut = new ArrayList<>();
    for (int i = 0; i < peers.size(); i++) {
      Peer peer = peers.get(i);
      Builds builds = Builds.missing(sources, List.of(peer));
      MemoryPlan plan = plan(List.of(peer));
      leftOut.addAll(leftOut(plan));
      for (Peer one : running(List.of(peer), plan)) {
        measure(one, builds, alone, leftOut);
      }
      List<Peer> later = peers.subList(i + 1, peers.size());
      if (later.stream().noneMatch(other -> other.files().equals(peer.files()))) {
        BuildProcess.forget(peer, sources.records(), sources.data());
        Directories.delete(sources.directory(peer));
      }
    }
    return merged(alone).with("one store at a time: built, measured and deleted", leftOut);
  }

  /** Measures one store. Should it fail, that does not take what was measured of the others. */
  private void measure(Peer peer, Builds builds, List<Size> measured, List<String> leftOut) {
    try {
      measured.add(comparison(List.of(peer), builds).run());
    } catch (IOException e) {
      leftOut.add(peer.name() + ": failed: " + e.getMessage());
      Progress.step("%s failed: %s", peer.name(), e);
    }
  }

  private MemoryPlan plan(List<Peer> some) throws IOException {
    return MemoryPlan.of(sources, some, StoreRun.queries(rounds, queries));
  }

  private Comparison comparison(List<Peer> some, Builds builds) {
    return new Comparison(sources, some, builds, rounds, queries);
  }

  private static List<Peer> running(List<Peer> some, MemoryPlan plan) {
    Map<String, String> leftOut = plan.leftOut();
    return some.stream().filter(peer -> !leftOut.containsKey(peer.name())).toList();
  }

  private static List<String> leftOut(MemoryPlan plan) {
    List<String> lines = new ArrayList<>();
    plan.leftOut().forEach((store, reason) -> lines.add(store + ": " + reason));
    lines.forEach(line -> Progress.step("left out: %s", line));
    return lines;
  }

  /** Stores that were measured alone, each with what the memory gave beside it. */
  private Size merged(List<Size> alone) {
    List<PeerResult> results = new ArrayList<>();
    List<String> pageCache = new ArrayList<>();
    for (Size size : alone) {
      for (PeerResult peer : size.peers()) {
        results.add(peer.beside(size.memory()));
        pageCache.add(peer.name() + ": " + size.pageCache());
      }
    }
    return new Size(
        sources.records().workload().records(),
        "",
        List.of(),
        String.join("; ", pageCache),
        null,
        results);
  }
}
