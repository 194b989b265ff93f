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
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Measures lookups in the stores of one record count.
 *
 * <p>All stores are open together, and every round gives each of them the same slice of the
 * queries: whatever disturbs the machine disturbs all alike. If their processes and files do not
 * fit nine tenths of the available memory, each store has the machine to itself instead. What a
 * read of memory costs is measured beside them.
 */
final class Comparison {
  private static final int UNTIMED = 2;
  private static final String IN_READS = "get, in reads";

  private final Builds builds;
  private final List<Measure> measures;
  private final int rounds;
  private final int queries;
  private final List<String> notes = new ArrayList<>();
  private final List<Row> lookups = new ArrayList<>();
  private final List<Row> latencies = new ArrayList<>();

  /**
   * @param rounds per measurement
   * @param queries of one round
   */
  Comparison(Builds builds, List<Measure> measures, int rounds, int queries) {
    this.builds = builds;
    this.measures = measures;
    this.rounds = rounds;
    this.queries = queries;
  }

  /**
   * Measures stores.
   *
   * @param discard builds, measures and deletes one after the other
   */
  List<Section> run(List<Peer> peers, boolean discard) throws Exception {
    List<Section> sections = new ArrayList<>();
    if (discard) {
      notes.add("one store at a time: built, measured and deleted");
      List<Row> built = new ArrayList<>();
      for (Peer peer : peers) {
        built.addAll(builds.missing(List.of(peer)).rows());
        fitting(List.of(peer)).forEach(this::alone);
        builds.delete(peer);
      }
      sections.add(builds.section(built));
    } else {
      sections.add(builds.missing(peers));
      List<Peer> fitting = fitting(peers);
      if (fitTogether(fitting)) {
        together(fitting);
      } else {
        fitting.forEach(this::alone);
      }
    }
    if (!lookups.isEmpty()) {
      List<String> compared = new ArrayList<>(measures.stream().map(Measure::label).toList());
      compared.add(IN_READS);
      String records = ", %,d records".formatted(builds.count());
      sections.add(new Section("Lookups, ns per key" + records, notes, compared, lookups));
      sections.add(
          Section.of("Latency of a get, ns, each timed alone" + records, List.of(), latencies));
    }
    return sections;
  }

  /** Returns the memory that a store has beside its files: heap, copies and caches. */
  private long processBytes(Peer peer) throws IOException {
    return heapBytes(peer) + peer.nativeBytes(fileBytes(peer));
  }

  private long fileBytes(Peer peer) throws IOException {
    return peer.hasFiles() ? Directories.size(builds.directory(peer)) : 0;
  }

  private long heapBytes(Peer peer) {
    return StoreProcess.heapBytes(peer, builds.count(), StoreRun.queries(rounds, queries));
  }

  private static long usable() throws IOException {
    return Machine.availableMemory() / 10 * 9;
  }

  /** Returns the stores that this machine has the memory for, and notes those left out. */
  private List<Peer> fitting(List<Peer> all) throws IOException {
    List<Peer> fitting = new ArrayList<>();
    for (Peer peer : all) {
      long heap = peer.hasFiles() ? 0 : heapBytes(peer);
      long maximum = Runtime.getRuntime().maxMemory();
      if (heap <= maximum && processBytes(peer) <= usable()) {
        fitting.add(peer);
      } else {
        notes.add(
            "left out: %s: it would need %,d MiB; BENCH_HEAP allows %,d, and nine tenths of the available memory are %,d"
                .formatted(peer.name(), processBytes(peer) >> 20, maximum >> 20, usable() >> 20));
      }
    }
    return fitting;
  }

  private boolean fitTogether(List<Peer> some) throws IOException {
    long processes = 0;
    long files = 0;
    Set<Path> counted = new HashSet<>();
    for (Peer peer : some) {
      processes += processBytes(peer);
      files += counted.add(builds.directory(peer)) ? fileBytes(peer) : 0;
    }
    boolean fit = processes + files <= usable();
    notes.add(
        "%s: processes of %,d MiB and files of %,d MiB; nine tenths of the available memory are %,d MiB"
            .formatted(
                fit ? "stores in turn" : "one store at a time",
                processes >> 20,
                files >> 20,
                usable() >> 20));
    return fit;
  }

  /** Measures one store. Should it fail, that does not take what was measured of the others. */
  private void alone(Peer peer) {
    try {
      together(List.of(peer));
    } catch (IOException e) {
      notes.add("left out: " + peer.name() + ": failed: " + e.getMessage());
      Progress.step("%s failed: %s", peer.name(), e);
    }
  }

  private void together(List<Peer> some) throws IOException {
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
      Turns<StoreProcess> all = new Turns<>(stores, StoreProcess::row);
      List<StoreProcess> inOrder =
          stores.stream().filter(store -> store.peer().isOrdered()).toList();
      Turns<StoreProcess> ordered = new Turns<>(inOrder, StoreProcess::row);
      Set<Keys> prepared = EnumSet.noneOf(Keys.class);
      for (Measure measure : measures) {
        Progress.step("%s", measure.label());
        if (prepared.add(measure.keys())) {
          for (StoreProcess store : stores) {
            store.prepare(measure.keys());
          }
        }
        if (measure.way().equals("floor")) {
          checkOrder(inOrder);
        }
        (measure.needsOrder() ? ordered : all)
            .run(
                UNTIMED,
                rounds,
                (store, round, row) -> row.add(measure.label(), store.measure(measure, round)));
      }
      Progress.step("latencies");
      all.run(UNTIMED, rounds, (store, round, row) -> store.measure(Measure.LATENCY, round));
      for (StoreProcess store : stores) {
        Row row = new Row(store.peer().name(), "");
        store.latencies().forEach(row::add);
        latencies.add(row);
      }
      if (!directories.isEmpty()) {
        Row memory = MemoryLimit.measure(directories.iterator().next(), rounds);
        for (Row row : all.rows()) {
          row.measures().putAll(memory.measures());
          row.add(IN_READS, row.median(Measure.GET) / row.median(MemoryLimit.ONE_READ));
        }
        String names = String.join(", ", some.stream().map(Peer::name).toList());
        notes.add(names + ": " + Directories.pageCache(directories));
      }
      lookups.addAll(all.rows());
    } finally {
      for (StoreProcess store : stores) {
        store.close();
      }
    }
  }

  private static void checkOrder(List<StoreProcess> stores) throws IOException {
    Set<String> hashes = new HashSet<>();
    for (StoreProcess store : stores) {
      hashes.add(store.orderedHash());
    }
    if (hashes.size() > 1) {
      throw new IllegalStateException("wrong answer: floors and ranges differ between stores");
    }
  }
}
