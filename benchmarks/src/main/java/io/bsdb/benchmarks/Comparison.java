package io.bsdb.benchmarks;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Measure;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Peers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Measures lookups in the stores of one record count.
 *
 * <p>All stores are open together, and every round gives each of them the same slice of the
 * queries: whatever disturbs the machine disturbs all alike. If their processes and files do not
 * fit nine tenths of the available memory, each store has the machine to itself instead. What a
 * read of memory costs is measured beside them.
 *
 * @param rounds per measurement
 * @param queries of one round
 * @param discard builds, measures and deletes one store after the other
 */
record Comparison(Builds builds, List<Peer> peers, int rounds, int queries, boolean discard) {
  private static final int UNTIMED = 2;
  private static final String IN_READS = "get, in reads";

  /** Results so far. */
  private record Measured(List<String> notes, List<Row> lookups, List<Row> latencies) {}

  List<Section> run() throws IOException, InterruptedException {
    Measured measured = new Measured(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    List<Section> sections = new ArrayList<>();
    if (discard) {
      measured.notes.add("one store at a time: built, measured and deleted");
      List<Row> built = new ArrayList<>();
      for (int i = 0; i < peers.size(); i++) {
        Peer peer = peers.get(i);
        if (peer.hasFiles()) {
          Row row = Builds.row(peer);
          builds.add(row, builds.build(peer));
          built.add(row);
        }
        for (Peer one : fitting(List.of(peer), measured.notes)) {
          alone(one, measured);
        }
        List<Peer> later = peers.subList(i + 1, peers.size());
        if (later.stream().noneMatch(other -> other.files().equals(peer.files()))) {
          builds.delete(peer);
        }
      }
      sections.add(builds.section(built));
    } else {
      sections.add(builds.missing(peers));
      List<Peer> fitting = fitting(peers, measured.notes);
      if (fitTogether(fitting, measured.notes)) {
        together(fitting, measured);
      } else {
        fitting.forEach(peer -> alone(peer, measured));
      }
    }
    if (!measured.lookups.isEmpty()) {
      sections.addAll(sections(measured));
    }
    return sections;
  }

  private List<Section> sections(Measured measured) {
    List<String> compared = new ArrayList<>(Measure.labels());
    compared.add(IN_READS);
    String records = ", %,d records".formatted(builds.count());
    return List.of(
        new Section(
            "lookups",
            "Lookups, ns per key" + records,
            builds.count(),
            measured.notes,
            Peers.REFERENCE,
            compared,
            measured.lookups),
        new Section(
            "latency",
            "Latency of a get, ns, each timed alone" + records,
            builds.count(),
            List.of(),
            Peers.REFERENCE,
            List.of(),
            measured.latencies));
  }

  /** Returns the memory that a store has beside its files: heap, copies and caches. */
  private long processBytes(Peer peer) throws IOException {
    long files = peer.hasFiles() ? Directories.size(builds.directory(peer)) : 0;
    return heapBytes(peer) + peer.nativeBytes(files);
  }

  private long heapBytes(Peer peer) {
    return StoreProcess.heapBytes(peer, builds.count(), StoreRun.queries(rounds, queries));
  }

  private static long usable() throws IOException {
    return Machine.availableMemory() / 10 * 9;
  }

  /** Returns the stores that this machine has the memory for, and notes those left out. */
  private List<Peer> fitting(List<Peer> all, List<String> notes) throws IOException {
    List<Peer> fitting = new ArrayList<>();
    for (Peer peer : all) {
      long maximum = Runtime.getRuntime().maxMemory();
      if (!peer.hasFiles() && heapBytes(peer) > maximum) {
        notes.add(
            "left out: %s: its heap would need %,d MiB, and BENCH_HEAP allows %,d"
                .formatted(peer.name(), heapBytes(peer) >> 20, maximum >> 20));
      } else if (processBytes(peer) > usable()) {
        notes.add(
            "left out: %s: its process would need %,d MiB, and nine tenths of the available memory are %,d"
                .formatted(peer.name(), processBytes(peer) >> 20, usable() >> 20));
      } else {
        fitting.add(peer);
      }
    }
    return fitting;
  }

  private boolean fitTogether(List<Peer> some, List<String> notes) throws IOException {
    long processes = 0;
    long files = 0;
    Set<Path> counted = new HashSet<>();
    for (Peer peer : some) {
      processes += processBytes(peer);
      if (peer.hasFiles() && counted.add(builds.directory(peer))) {
        files += Directories.size(builds.directory(peer));
      }
    }
    boolean fit = processes + files <= usable();
    notes.add(
        "%s: processes of %,d MiB and files of %,d MiB %s nine tenths of the available memory, %,d MiB"
            .formatted(
                fit ? "stores in turn" : "one store at a time",
                processes >> 20,
                files >> 20,
                fit ? "fit" : "do not fit",
                usable() >> 20));
    return fit;
  }

  /** Measures one store. Should it fail, that does not take what was measured of the others. */
  private void alone(Peer peer, Measured measured) {
    try {
      together(List.of(peer), measured);
    } catch (IOException e) {
      measured.notes.add("left out: " + peer.name() + ": failed: " + e.getMessage());
      Progress.step("%s failed: %s", peer.name(), e);
    }
  }

  private void together(List<Peer> some, Measured measured) throws IOException {
    Set<Path> directories = new TreeSet<>();
    List<StoreProcess> stores = new ArrayList<>();
    try {
      for (Peer peer : some) {
        Progress.step("open %s", peer.name());
        if (peer.hasFiles() && directories.add(builds.directory(peer))) {
          Directories.warm(builds.directory(peer));
        }
        stores.add(StoreProcess.start(builds, peer, rounds, queries));
      }
      List<Row> rows =
          some.stream().map(each -> new Row(each.name(), each.configuration())).toList();
      Turns<StoreProcess> turns = new Turns<>(rows, stores);
      Set<Keys> prepared = EnumSet.noneOf(Keys.class);
      for (Measure measure : Measure.all()) {
        Progress.step("%s", measure.label());
        if (prepared.add(measure.keys())) {
          for (StoreProcess store : stores) {
            store.prepare(measure.keys());
          }
        }
        turns.measure(
            measure.label(), UNTIMED, rounds, (store, round) -> store.measure(measure, round));
      }
      Progress.step("latencies");
      Turns<StoreProcess> latencies = new Turns<>(List.of(), stores);
      latencies.measure(
          "", UNTIMED, rounds, (store, round) -> store.measure(Measure.LATENCY, round));
      for (StoreProcess store : stores) {
        Row row = new Row(store.name(), "");
        store.latencies().forEach(row::add);
        measured.latencies.add(row);
      }
      if (!directories.isEmpty()) {
        Map<String, double[]> memory = MemoryLimit.measure(directories.iterator().next(), rounds);
        for (Row row : rows) {
          memory.forEach(row::add);
          double read = row.median(MemoryLimit.ONE_READ);
          row.add(IN_READS, row.median(Measure.GET) / read);
        }
        String names = String.join(", ", some.stream().map(Peer::name).toList());
        measured.notes.add(names + ": " + Directories.pageCache(directories));
      }
      measured.lookups.addAll(rows);
    } finally {
      for (StoreProcess store : stores) {
        store.close();
      }
    }
  }
}
