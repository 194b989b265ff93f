package io.bsdb.benchmarks.layouts;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Peers;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Builds one data set in every layout, and in other stores, and reads them in turn, each in a
 * process of its own. Prints a table in Markdown.
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

  private LayoutBench() {}

  /** Figures of a store. */
  private record Entry(
      Peer peer, double seconds, long bytes, LayoutRun run, List<LayoutRun.Times> times) {
    double get() {
      return median(times.stream().mapToDouble(LayoutRun.Times::get).toArray());
    }

    double getAll() {
      return median(times.stream().mapToDouble(LayoutRun.Times::getAll).toArray());
    }
  }

  /**
   * Runs the comparison.
   *
   * @param names of stores, or parts of names; none for all layouts
   */
  public static void run(Path directory, long records, String data, List<String> names)
      throws IOException, InterruptedException {
    List<Peer> peers = Peers.named(names.isEmpty() ? LAYOUTS : names);
    if (peers.isEmpty()) {
      throw new IllegalArgumentException("no such store: " + names);
    }
    run(Files.createDirectories(directory), records, data, peers, ROUNDS, System.out);
  }

  static void run(
      Path directory, long records, String name, List<Peer> peers, int rounds, PrintStream out)
      throws IOException, InterruptedException {
    DataFile data = DataFile.of(directory, name, records);
    List<Entry> entries = new ArrayList<>();
    try {
      for (Peer peer : peers) {
        Progress.step("build %s", peer.name());
        double seconds = LayoutRun.build(directory, records, name, peer);
        entries.add(
            new Entry(
                peer,
                seconds,
                Directories.size(LayoutRun.files(directory, data, peer)),
                LayoutRun.open(directory, records, name, peer),
                new ArrayList<>()));
      }
      for (int round = -1; round < rounds; round++) { // the first one warms up
        Progress.step("round %d of %d", round + 1, rounds);
        for (int turn = 0; turn < entries.size(); turn++) {
          Entry entry = entries.get(Math.floorMod(turn + round, entries.size()));
          LayoutRun.Times times = entry.run.round();
          if (round >= 0) {
            entry.times.add(times);
          }
        }
      }
    } finally {
      for (Entry entry : entries) {
        entry.run.close();
      }
    }
    report(entries, records, name, out);
  }

  private static void report(List<Entry> entries, long records, String name, PrintStream out) {
    out.printf(
        Locale.ROOT,
        "| %s, %,d records | bytes per record | get | getAll(64) | build, records/s |%n"
            + "|---|---|---|---|---|%n",
        name,
        records);
    double get = entries.get(0).get();
    double getAll = entries.get(0).getAll();
    for (Entry entry : entries) {
      out.printf(
          Locale.ROOT,
          "| %s | %.1f | %.2f (%.0f ns) | %.2f (%.0f ns) | %,.0f |%n",
          entry.peer.name(),
          entry.bytes / (double) records,
          entry.get() / get,
          entry.get(),
          entry.getAll() / getAll,
          entry.getAll(),
          records / entry.seconds);
    }
  }

  static double median(double[] rounds) {
    double[] sorted = rounds.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
