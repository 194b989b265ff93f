package io.bsdb.benchmarks;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.benchmarks.harness.DataSet;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.RecordFile;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.harness.Workers;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.table.storage.DirectoryTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Builds the files of stores, each in a process of its own, so that neither its memory nor its
 * compiled code mixes with that of others.
 *
 * @param data where all files go
 * @param heap of the processes, as {@code -Xmx} takes it
 */
record Builds(Path data, RecordFile records, String heap) {
  private static final ObjectMapper JSON = new ObjectMapper();

  static Builds of(Path data, DataSet set, long records, String heap) throws IOException {
    return new Builds(data, RecordFile.of(data, new Workload(set, records)), heap);
  }

  long count() {
    return records.workload().records();
  }

  /** Returns where the files of a peer are; peers can share them. */
  Path directory(Peer peer) {
    return data.resolve(peer.files() + "-" + records.workload().suffix());
  }

  /** Returns the file with the cost of a finished build. */
  private Path cost(Peer peer) {
    return data.resolve(directory(peer).getFileName() + ".json");
  }

  /** Builds, unless the files are there; returns figures by name. */
  Map<String, Double> build(Peer peer) throws Exception {
    if (Files.exists(cost(peer))) {
      return JSON.readValue(cost(peer).toFile(), new TypeReference<>() {});
    }
    delete(peer);
    Progress.step("build %s", peer.files());
    Map<String, Double> cost =
        JavaProcess.call(List.of("-Xmx" + heap), new Build(this, peer.name()));
    JSON.writeValue(cost(peer).toFile(), cost);
    return cost;
  }

  void delete(Peer peer) throws IOException {
    Files.deleteIfExists(cost(peer));
    DirectoryTree.delete(directory(peer));
  }

  /** Builds what is not there yet. */
  List<Row> missing(List<Peer> peers) throws Exception {
    return build(peers, 1, false);
  }

  /** Builds everything again in every round, each time in another order. */
  Section rounds(List<Peer> peers, int rounds) throws Exception {
    return section(build(peers, rounds, true));
  }

  private List<Row> build(List<Peer> peers, int rounds, boolean again) throws Exception {
    Map<String, Peer> distinct = new LinkedHashMap<>();
    peers.stream().filter(Peer::hasFiles).forEach(peer -> distinct.putIfAbsent(peer.files(), peer));
    List<Peer> built = List.copyOf(distinct.values());
    return new Turns<>(built, peer -> new Row(peer.files(), peer.configuration()), 0, rounds)
        .run(
            (peer, round, row) -> {
              if (again) {
                delete(peer);
              }
              build(peer).forEach(row::add);
            })
        .rows();
  }

  Section section(List<Row> rows) {
    return new Section("Builds, %,d records".formatted(count()), rows);
  }

  /** One build, from the first record read to all files on disk. */
  record Build(Builds builds, String name) implements Callable<Map<String, Double>> {
    private static final double MIB = 1 << 20;

    @Override
    public Map<String, Double> call() throws Exception {
      Peer peer = Peer.one(name);
      Path directory = Files.createDirectories(builds.directory(peer));
      long start = System.nanoTime();
      long own =
          Workers.greatest(
              () -> Machine.ownMemory("RssAnon"),
              () -> peer.build().accept(builds.records, directory));
      double seconds = (System.nanoTime() - start) / 1e9;
      Map<String, Double> figures = new LinkedHashMap<>();
      figures.put("records/s", builds.count() / seconds);
      figures.put("bytes/record", (double) DirectoryTree.length(directory) / builds.count());
      figures.put("peak, MiB", Machine.ownMemory("VmHWM") / MIB);
      figures.put("without files, MiB", own / MIB);
      return figures;
    }
  }
}
