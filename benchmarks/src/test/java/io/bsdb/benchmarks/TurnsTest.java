package io.bsdb.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.benchmarks.Results.PeerResult;
import io.bsdb.benchmarks.Results.Size;
import io.bsdb.benchmarks.peers.BuildProcess;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Peers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TurnsTest {
  @TempDir private Path data;

  @Test
  void measuresOneStoreAtATimeBesideTheMemoryAndDiscardsIt() throws Exception {
    Sources sources = Sources.of(data, new Workload(3000), "256m");
    Turns turns =
        new Turns(sources, Peers.named(List.of("bsdb-compressed", "sparkey")), 2, 1 << 10);

    Size size = turns.runAndDiscard();

    assertThat(size.turns()).startsWith("one store at a time");
    assertThat(size.memory()).isNull();
    assertThat(size.peers())
        .extracting(PeerResult::name)
        .containsExactly("bsdb-compressed", "sparkey");
    for (PeerResult peer : size.peers()) {
      assertThat(peer.memory()).isNotNull();
      assertThat(peer.nanosPerKey()).containsOnlyKeys(Measures.all());
      assertThat(peer.build()).isNotNull();
      assertThat(size.pageCache()).contains(peer.name() + ": warm");
    }
    assertThat(data.resolve("records-3000")).exists();
    assertThat(data.resolve("sparkey-3000")).doesNotExist();
    assertThat(data.resolve("bsdb-compressed-3000.json")).doesNotExist();
    String text =
        TextReport.of(new Results(Machine.facts(), Map.of(), List.of(size), List.of(), List.of()));
    assertThat(text)
        .contains("How many times the time of bsdb-compressed")
        .contains("Beside the memory that each had")
        .containsPattern("bsdb-compressed +\\d+ +\\d+ +[0-9.]+ +1.00x");
  }

  @Test
  void keepsWhatWasMeasuredOfOthersIfAStoreFails() throws Exception {
    Sources sources = Sources.of(data, new Workload(3000), "256m");
    Peer sparkey = Peers.named(List.of("sparkey")).get(0);
    sources.build(sparkey);
    for (Path file : Directories.files(sources.directory(sparkey))) {
      Files.write(file, new byte[0]);
    }

    Size size =
        new Turns(sources, Peers.named(List.of("bsdb-blocked", "sparkey")), 2, 1 << 10)
            .runAndDiscard();

    assertThat(size.peers()).extracting(PeerResult::name).containsExactly("bsdb-blocked");
    assertThat(size.leftOut()).singleElement().asString().startsWith("sparkey: failed: ");
  }

  @Test
  void buildsAnewWithAnotherHeap() throws Exception {
    Peer peer = Peers.named(List.of("bsdb-blocked")).get(0);
    Workload workload = new Workload(3000);
    BuildProcess.Cost first = Sources.of(data, workload, "256m").build(peer);

    assertThat(Sources.of(data, workload, "256m").build(peer)).isEqualTo(first);
    assertThat(Sources.of(data, workload, "300m").build(peer).heap()).isEqualTo("300m");
  }
}
