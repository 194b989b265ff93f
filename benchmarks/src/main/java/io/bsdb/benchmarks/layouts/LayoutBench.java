package io.bsdb.benchmarks.layouts;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Peers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds one data set in every layout, and in other stores, and reads them in turn, each in a
 * process of its own.
 */
public final class LayoutBench {
  /** The words that name a data set, for messages. */
  public static final String DATA = DataSet.NAMES;

  private static final List<String> LAYOUTS =
      List.of(
          "bsdb-blocked",
          "bsdb-compact",
          "bsdb-symbols",
          "bsdb-compressed",
          "bsdb-compressed-pages");
  private static final int ROUNDS = 7;
  private static final String GET = "get, ns";
  private static final String GET_ALL = "getAll(64), ns";

  private LayoutBench() {}

  /**
   * Runs the comparison.
   *
   * @param names of stores, or parts of names; none for all layouts
   */
  public static List<Section> run(Path directory, long records, String data, List<String> names)
      throws Exception {
    List<Peer> peers = Peers.named(names.isEmpty() ? LAYOUTS : names);
    if (peers.isEmpty()) {
      throw new IllegalArgumentException("no such store: " + names);
    }
    return run(Files.createDirectories(directory), records, data, peers, ROUNDS);
  }

  static List<Section> run(Path directory, long records, String name, List<Peer> peers, int rounds)
      throws Exception {
    DataFile data = DataFile.of(directory, name, records);
    Map<String, LayoutRun> runs = new LinkedHashMap<>();
    Map<String, Double> seconds = new LinkedHashMap<>();
    try {
      for (Peer peer : peers) {
        Progress.step("build %s", peer.name());
        seconds.put(peer.name(), LayoutRun.build(directory, records, name, peer));
        runs.put(peer.name(), LayoutRun.open(directory, records, name, peer));
      }
      Turns<LayoutRun> turns = new Turns<>(runs);
      for (Peer peer : peers) {
        long bytes = Directories.size(LayoutRun.files(directory, data, peer));
        turns.row(peer.name()).add("bytes/record", bytes / (double) records);
      }
      turns.measure(GET, 1, rounds, (run, round) -> run.nanos("get"));
      turns.measure(GET_ALL, 1, rounds, (run, round) -> run.nanos("getAll"));
      seconds.forEach((peer, each) -> turns.row(peer).add("records/s built", records / each));
      return List.of(
          turns.section(
              "Layouts: %s, %,d records".formatted(name, records), List.of(GET, GET_ALL)));
    } finally {
      for (LayoutRun run : runs.values()) {
        run.close();
      }
    }
  }
}
