package io.bsdb.benchmarks;

import io.bsdb.benchmarks.peers.Peer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How the stores of one record count share the machine's memory. All are open together, and take
 * turns, if their processes and their files fit nine tenths of what is available. Else they run one
 * at a time, so that each has the page cache to itself. What would not even fit alone is left out.
 *
 * @param availableBytes that processes and page cache can have
 * @param heapLimit most bytes of a heap that holds records
 */
record MemoryPlan(List<Need> needs, long availableBytes, long heapLimit) {
  /** Of a process, beside its heap and what it copies. */
  private static final long PROCESS_BYTES = 128L << 20;

  /**
   * What one store needs.
   *
   * @param files name of its files, which stores can share
   * @param fileBytes that have to be in the page cache
   * @param heapBytes of its process
   * @param copiedBytes that its process has of its own beside the heap: copies and caches
   * @param keepsRecordsOnHeap and so needs a heap that grows with them
   */
  record Need(
      String store,
      String files,
      long fileBytes,
      long heapBytes,
      long copiedBytes,
      boolean keepsRecordsOnHeap) {

    private long processBytes() {
      return heapBytes + copiedBytes + PROCESS_BYTES;
    }
  }

  /** Of stores that are built. */
  static MemoryPlan of(Sources sources, List<Peer> peers, int queries) throws IOException {
    long records = sources.records().workload().records();
    List<Need> needs = new ArrayList<>();
    for (Peer peer : peers) {
      long fileBytes = peer.hasFiles() ? Directories.size(sources.directory(peer)) : 0;
      needs.add(
          new Need(
              peer.name(),
              peer.files(),
              peer.copiesFiles() ? 0 : fileBytes,
              StoreProcess.heapBytes(peer, records, queries),
              (peer.copiesFiles() ? fileBytes : 0) + peer.offHeapCacheBytes(),
              peer.heapBytes(records) > 0));
    }
    return new MemoryPlan(needs, Machine.availableMemoryBytes(), Runtime.getRuntime().maxMemory());
  }

  private long usable() {
    return availableBytes / 10 * 9;
  }

  /** Names of stores that cannot run, with the reason. */
  Map<String, String> leftOut() {
    Map<String, String> leftOut = new LinkedHashMap<>();
    for (Need need : needs) {
      if (need.keepsRecordsOnHeap && need.heapBytes > heapLimit) {
        leftOut.put(
            need.store,
            "its heap would need %,d MiB, and BENCH_HEAP allows %,d"
                .formatted(need.heapBytes >> 20, heapLimit >> 20));
      } else if (need.processBytes() > usable()) {
        leftOut.put(
            need.store,
            "its process would need %,d MiB, and nine tenths of the available memory are %,d"
                .formatted(need.processBytes() >> 20, usable() >> 20));
      }
    }
    return leftOut;
  }

  private List<Need> running() {
    return needs.stream().filter(need -> !leftOut().containsKey(need.store)).toList();
  }

  private long processBytes() {
    return running().stream().mapToLong(Need::processBytes).sum();
  }

  /** Files that stores share count once. */
  private long fileBytes() {
    Map<String, Long> byFiles = new LinkedHashMap<>();
    running().forEach(need -> byFiles.merge(need.files, need.fileBytes, Math::max));
    return byFiles.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Whether all that run fit together. */
  boolean isTogether() {
    return processBytes() + fileBytes() <= usable();
  }

  /** The decision and what it rests on. */
  String words() {
    return "%s: processes of %,d MiB and files of %,d MiB %s nine tenths of the available memory, %,d MiB"
        .formatted(
            isTogether() ? "stores in turn" : "one store at a time",
            processBytes() >> 20,
            fileBytes() >> 20,
            isTogether() ? "fit" : "do not fit",
            usable() >> 20);
  }
}
