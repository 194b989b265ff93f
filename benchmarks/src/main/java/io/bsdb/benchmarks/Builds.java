package io.bsdb.benchmarks;

import io.bsdb.benchmarks.peers.BuildProcess;
import io.bsdb.benchmarks.peers.BuildProcess.Cost;
import io.bsdb.benchmarks.peers.Peer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What builds took, by the names of the files: those of one peer in every round. */
record Builds(Map<String, List<Cost>> costs) {

  /** Builds what is not there yet. What is there keeps the cost that was written down with it. */
  static Builds missing(Sources sources, List<Peer> peers)
      throws IOException, InterruptedException {
    Map<String, List<Cost>> costs = new LinkedHashMap<>();
    for (Peer peer : distinct(peers)) {
      if (!BuildProcess.isBuilt(peer, sources.records(), sources.data())) {
        Progress.step("build %s", peer.files());
      }
      costs.put(peer.files(), List.of(sources.build(peer)));
    }
    return new Builds(costs);
  }

  /** Builds everything anew so many times, all peers in turn. */
  static Builds rounds(Sources sources, List<Peer> peers, int rounds)
      throws IOException, InterruptedException {
    Map<String, List<Cost>> costs = new LinkedHashMap<>();
    List<Peer> distinct = new ArrayList<>(distinct(peers));
    for (int round = 0; round < rounds; round++) {
      // Another one is the first each time.
      Collections.rotate(distinct, 1);
      for (Peer peer : distinct) {
        Progress.step("build %s, round %d of %d", peer.files(), round + 1, rounds);
        BuildProcess.forget(peer, sources.records(), sources.data());
        costs.computeIfAbsent(peer.files(), name -> new ArrayList<>()).add(sources.build(peer));
      }
    }
    return new Builds(costs);
  }

  /** One peer of those that share their files; none of those that have no files. */
  private static List<Peer> distinct(List<Peer> peers) {
    Map<String, Peer> byFiles = new LinkedHashMap<>();
    for (Peer peer : peers) {
      if (peer.hasFiles()) {
        byFiles.putIfAbsent(peer.files(), peer);
      }
    }
    return List.copyOf(byFiles.values());
  }

  /** The build of median duration; null for a peer without files. */
  @Nullable Cost median(Peer peer) {
    List<Cost> rounds = costs.getOrDefault(peer.files(), List.of());
    return rounds.stream()
        .sorted(Comparator.comparingDouble(Cost::seconds))
        .skip(rounds.size() / 2)
        .findFirst()
        .orElse(null);
  }

  List<Double> seconds(Peer peer) {
    return costs.getOrDefault(peer.files(), List.of()).stream().map(Cost::seconds).toList();
  }
}
