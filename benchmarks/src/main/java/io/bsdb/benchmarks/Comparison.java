package io.bsdb.benchmarks;

import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Measure;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.table.storage.DirectoryTree;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Measures lookups in the stores of one record count.
 *
 * <p>All stores are open together, each in a process of its own, and every round gives each of them
 * the same slice of the queries: whatever disturbs the machine disturbs all alike. If their
 * processes and files do not fit nine tenths of the available memory, each store has the machine to
 * itself instead. What a read of memory costs is measured beside them.
 */
final class Comparison {
  private static final int UNTIMED = 2;
  private static final String READ = "memory read";
  private static final String IN_READS = "get, in reads";

  /** For values that are looked up, and for what stores need beside records. */
  private static final long HEAP_BYTES = 512L << 20;

  /** Key, digest and place in a list of each query. */
  private static final long QUERY_BYTES = 64;

  private final Builds builds;
  private final List<Measure> measures;
  private final int rounds;
  private final int queries;
  private final List<String> notes = new ArrayList<>();
  private final List<Row> lookups = new ArrayList<>();
  private final List<Row> latencies = new ArrayList<>();

  /** A store that is open in a process, which answers requests to a {@link StoreRun}. */
  private record OpenStore(Peer peer, Row row, JavaProcess process) {
    double ask(String request) throws IOException {
      return Double.parseDouble(process.ask(request));
    }
  }

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
    if (discard) {
      notes.add("one store at a time: built, measured and deleted");
    }
    List<Row> built = new ArrayList<>();
    for (List<Peer> some : discard ? peers.stream().map(List::of).toList() : List.of(peers)) {
      built.addAll(builds.missing(some));
      List<Peer> fitting = fitting(some);
      if (!discard && fitTogether(fitting)) {
        together(fitting);
      } else {
        alone(fitting);
      }
      if (discard) {
        builds.delete(some.get(0));
      }
    }
    String records = ", %,d records".formatted(builds.count());
    return List.of(
        builds.section(built),
        new Section("Lookups, ns per key" + records, notes, lookups),
        new Section("Latency of a get, ns, each timed alone" + records, latencies));
  }

  private Set<Path> directories(List<Peer> some) {
    return some.stream()
        .filter(Peer::hasFiles)
        .map(builds::directory)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the heap that a store's process gets. */
  private long heapBytes(Peer peer) {
    long kinds = measures.stream().map(Measure::keys).distinct().count();
    long asked = kinds * StoreRun.queries(rounds, queries);
    return HEAP_BYTES + QUERY_BYTES * asked + builds.count() * peer.heapBytes();
  }

  /** Returns the memory that a store has beside its files: heap, copies and caches. */
  private long processBytes(Peer peer) {
    return heapBytes(peer) + peer.cacheBytes();
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
            ("left out: %s: it would need %,d MiB; BENCH_HEAP allows %,d, and nine tenths of the"
                    + " available memory are %,d")
                .formatted(peer.name(), processBytes(peer) >> 20, maximum >> 20, usable() >> 20));
      }
    }
    return fitting;
  }

  private boolean fitTogether(List<Peer> some) throws IOException {
    long processes = some.stream().mapToLong(this::processBytes).sum();
    long files = 0;
    for (Path directory : directories(some)) {
      files += DirectoryTree.length(directory);
    }
    boolean fit = processes + files <= usable();
    String how = fit ? "stores in turn" : "one store at a time";
    notes.add(
        "%s: processes of %,d MiB and files of %,d MiB; nine tenths of the available memory are %,d MiB"
            .formatted(how, processes >> 20, files >> 20, usable() >> 20));
    return fit;
  }

  /** Measures one store after the other. Should one fail, the others are measured all the same. */
  private void alone(List<Peer> some) throws Exception {
    for (Peer peer : some) {
      try {
        together(List.of(peer));
      } catch (IOException e) {
        notes.add("left out: " + peer.name() + ": failed: " + e.getMessage());
        Progress.step("%s failed: %s", peer.name(), e);
      }
    }
  }

  private OpenStore open(Peer peer) throws IOException {
    Progress.step("open %s", peer.name());
    long heap = heapBytes(peer);
    JavaProcess process =
        new JavaProcess(
            // A heap whose memory the process has from the start. Else the values that a store
            // copies are the first to touch it, for hundreds of nanoseconds each.
            List.of("-XX:+AlwaysPreTouch", "-Xms" + heap, "-Xmx" + heap),
            new StoreRun.Task(builds, peer.name(), rounds, queries));
    return new OpenStore(peer, new Row(peer.name(), peer.configuration()), process);
  }

  private void together(List<Peer> some) throws Exception {
    Set<Path> directories = directories(some);
    List<OpenStore> stores = new ArrayList<>();
    try {
      for (Path directory : directories) {
        for (Path file : Directories.files(directory)) {
          Files.copy(file, OutputStream.nullOutputStream()); // into the page cache, if it has room
        }
      }
      for (Peer peer : some) {
        stores.add(open(peer));
        stores.get(stores.size() - 1).process.answer(); // one after the other
      }
      Turns<OpenStore> all = new Turns<>(stores, OpenStore::row, UNTIMED, rounds);
      List<OpenStore> inOrder = stores.stream().filter(store -> store.peer.isOrdered()).toList();
      Turns<OpenStore> ordered = new Turns<>(inOrder, OpenStore::row, UNTIMED, rounds);
      Set<Keys> prepared = EnumSet.noneOf(Keys.class);
      for (Measure measure : measures) {
        Progress.step("%s", measure.label());
        if (prepared.add(measure.keys())) {
          for (OpenStore store : stores) {
            store.ask("prepare " + measure.keys());
          }
        }
        if (measure.way().equals("floor")) {
          Set<String> hashes = new HashSet<>();
          for (OpenStore store : inOrder) {
            hashes.add(store.process.ask("order"));
          }
          if (hashes.size() > 1) {
            throw new IllegalStateException("wrong answer: floors and ranges of stores differ");
          }
        }
        Turns<OpenStore> turns = measure.needsOrder() ? ordered : all;
        turns.run(
            (store, round, row) -> row.add(measure.label(), store.ask(measure.request(round))));
      }
      Progress.step("latencies");
      all.run((store, round, row) -> store.ask(Measure.LATENCY.request(round)));
      for (OpenStore store : stores) {
        Row row = new Row(store.peer.name());
        for (String percentile : List.of("10", "50", "90", "99", "99.9", "99.99")) {
          row.add("p" + percentile, store.ask("percentile " + percentile));
        }
        latencies.add(row);
      }
      if (!directories.isEmpty()) {
        double[] reads = Machine.memoryReads(directories.iterator().next(), rounds);
        for (Row row : all.rows()) {
          row.add(READ, reads);
          row.add(IN_READS, row.median(Measure.GET) / row.median(READ));
        }
        String names = String.join(", ", some.stream().map(Peer::name).toList());
        notes.add(names + ": " + Directories.pageCache(directories));
      }
      lookups.addAll(all.rows());
    } finally {
      for (OpenStore store : stores) {
        store.process.close();
      }
    }
  }
}
