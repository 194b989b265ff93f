package io.bsdb.benchmarks;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.benchmarks.harness.DataSet;
import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.JavaProcess;
import io.bsdb.benchmarks.harness.Machine;
import io.bsdb.benchmarks.harness.Progress;
import io.bsdb.benchmarks.harness.RecordFile;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Sampler;
import io.bsdb.benchmarks.harness.Turns;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Peers;
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

  /**
   * The cost of a build.
   *
   * @param seconds from the first record read to all files on disk
   * @param peakBytes of the process, mapped files included; −1 if not known
   * @param peakAnonymousBytes the same without mapped files, sampled every 20 ms
   * @param bytesOnDisk of all files left
   * @param heap of the process, as {@code -Xmx} takes it
   */
  record Cost(
      double seconds, long peakBytes, long peakAnonymousBytes, long bytesOnDisk, String heap) {}

  static Builds of(Path data, String set, long records, String heap) throws IOException {
    return new Builds(data, RecordFile.of(data, new Workload(DataSet.named(set), records)), heap);
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

  boolean isBuilt(Peer peer) {
    return Files.exists(cost(peer));
  }

  /** Builds, unless the files are there and were built with as much heap. */
  Cost build(Peer peer) throws IOException, InterruptedException {
    if (isBuilt(peer)) {
      Cost cost = JSON.readValue(cost(peer).toFile(), Cost.class);
      if (heap.equals(cost.heap())) {
        return cost;
      }
    }
    delete(peer);
    Progress.step("build %s", peer.files());
    Cost cost =
        JavaProcess.call(
            new TypeReference<>() {},
            List.of("-Xmx" + heap),
            new Build(data, records.workload().data().name(), count(), heap, peer.name()));
    JSON.writeValue(cost(peer).toFile(), cost);
    return cost;
  }

  void delete(Peer peer) throws IOException {
    Files.deleteIfExists(cost(peer));
    Directories.delete(directory(peer));
  }

  /** Builds what is not there yet. */
  Section missing(List<Peer> peers) throws Exception {
    return section(peers, 1, false);
  }

  /** Builds everything again in every round, each time in another order. */
  Section rounds(List<Peer> peers, int rounds) throws Exception {
    return section(peers, rounds, true);
  }

  private Section section(List<Peer> peers, int rounds, boolean again) throws Exception {
    Map<String, Peer> distinct = new LinkedHashMap<>();
    peers.stream().filter(Peer::hasFiles).forEach(peer -> distinct.putIfAbsent(peer.files(), peer));
    Turns<Peer> turns =
        new Turns<>(
            List.copyOf(distinct.values()), peer -> new Row(peer.files(), peer.configuration()));
    turns.run(
        0,
        rounds,
        (peer, round, row) -> {
          if (again) {
            delete(peer);
          }
          add(row, build(peer));
        });
    return section(turns.rows());
  }

  private void add(Row row, Cost cost) {
    row.add("records/s", count() / cost.seconds);
    row.add("bytes/record", (double) cost.bytesOnDisk / count());
    row.add("peak, MiB", (double) (cost.peakBytes >> 20));
    row.add("without files, MiB", (double) (cost.peakAnonymousBytes >> 20));
  }

  Section section(List<Row> rows) {
    return Section.of("Builds, %,d records".formatted(count()), List.of("records/s"), rows);
  }

  /** One build. */
  record Build(Path data, String set, long records, String heap, String name)
      implements Callable<Cost> {
    @Override
    public Cost call() throws Exception {
      Builds builds = of(data, set, records, heap);
      Peer peer = Peers.one(name);
      Path directory = Files.createDirectories(builds.directory(peer));
      Sampler anonymous = Sampler.start(() -> Machine.ownMemory("RssAnon"));
      long start = System.nanoTime();
      peer.build(builds.records, directory);
      double seconds = (System.nanoTime() - start) / 1e9;
      return new Cost(
          seconds, Machine.ownMemory("VmHWM"), anonymous.end(), Directories.size(directory), heap);
    }
  }
}
