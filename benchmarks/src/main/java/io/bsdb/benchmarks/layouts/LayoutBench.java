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
 * process of its own: {@code benchmarks/run layouts DIRECTORY RECORDS DATA [STORE,…]}. Prints a
 * table in Markdown. With the word {@code flink}, see {@link JoinBench}.
 */
public final class LayoutBench {
  private static final String LAYOUTS =
      "bsdb-blocked,bsdb-compact,bsdb-symbols,bsdb-compressed,bsdb-compressed-pages";
  private static final int ROUNDS = 7;
  private static final int JOIN_ROUNDS = 3;

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

  /** See the class. */
  public static void main(String[] arguments) throws Exception {
    boolean joins = arguments.length > 0 && arguments[0].equals("flink");
    if (joins ? arguments.length != 4 : arguments.length < 3 || arguments.length > 4) {
      throw usage("expected 3 or 4 arguments, actual " + arguments.length);
    }
    Path directory = Files.createDirectories(Path.of(arguments[joins ? 1 : 0]));
    long records = Long.parseLong(arguments[joins ? 2 : 1]);
    if (joins) {
      long events = Long.parseLong(arguments[3]);
      JoinBench.run(directory, JoinBench.LAYOUTS, records, events, JOIN_ROUNDS, System.out);
      return;
    }
    String words = arguments.length > 3 ? arguments[3] : LAYOUTS;
    List<Peer> peers = Peers.named(List.of(words.split(",", -1)));
    if (peers.isEmpty()) {
      throw usage("no such store: " + words);
    }
    run(directory, records, arguments[2], peers, ROUNDS, System.out);
  }

  private static IllegalArgumentException usage(String problem) {
    return new IllegalArgumentException(
        """
        %s
        usage: benchmarks/run layouts DIRECTORY RECORDS DATA [STORE,...]
               benchmarks/run layouts flink DIRECTORY ROWS EVENTS
          DATA: %s
          STORE: %s unless given; also sparkey-zstd, rocksdb-zstd and others"""
            .formatted(problem, DataSet.NAMES, LAYOUTS));
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
