package io.bsdb.benchmarks;

import io.bsdb.benchmarks.peers.BuildProcess;
import io.bsdb.benchmarks.peers.Peer;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What builds need.
 *
 * @param data where all files go
 * @param heap of the processes that build, as {@code -Xmx} takes it
 */
record Sources(Path data, RecordFile records, String heap) {

  static Sources of(Path data, Workload workload, String heap) throws IOException {
    return new Sources(data, RecordFile.of(data, workload), heap);
  }

  BuildProcess.Cost build(Peer peer) throws IOException, InterruptedException {
    return BuildProcess.run(peer, records, data, heap);
  }

  Path directory(Peer peer) {
    return BuildProcess.directory(peer, records, data);
  }
}
