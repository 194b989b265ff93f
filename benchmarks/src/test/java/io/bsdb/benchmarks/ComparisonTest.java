package io.bsdb.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.bsdb.benchmarks.Results.PeerResult;
import io.bsdb.benchmarks.Results.Size;
import io.bsdb.benchmarks.StoreRun.Asked;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Peers;
import io.bsdb.benchmarks.peers.Store;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole small run. How fast anything is does not matter. */
class ComparisonTest {
  private static final int RECORDS = 3000;

  @TempDir private Path data;

  @Test
  void measuresBuildsAndLookupsAndReportsThem() throws Exception {
    List<Peer> peers = Peers.named(List.of("bsdb-blocked", "hashmap"));
    Sources sources = Sources.of(data, new Workload(RECORDS), "256m");

    Builds builds = Builds.rounds(sources, peers, 2);
    Size size = new Comparison(sources, peers, builds, 2, 1 << 10).run();

    assertThat(size.peers())
        .extracting(PeerResult::name)
        .containsExactly("bsdb-blocked", "hashmap");
    assertThat(size.pageCache()).contains("100.0 % of");
    for (PeerResult peer : size.peers()) {
      assertThat(peer.nanosPerKey()).containsOnlyKeys(Measures.all());
      assertThat(peer.nanosPerKey().values())
          .allMatch(series -> series.rounds().size() == 2 && series.best() > 0);
      assertThat(peer.latency(0.5)).isBetween(1.0, peer.latency(0.999));
    }
    PeerResult own = size.peers().get(0);
    assertThat(own.buildSeconds()).hasSize(2).contains(own.build().seconds());
    assertThat(own.build().bytesPerRecord()).isBetween(116.0, 140.0);
    assertThat(own.build().peakMemoryBytes()).isGreaterThan(own.build().peakAnonymousBytes());
    assertThat(own.build().peakAnonymousBytes()).isPositive();
    assertThat(size.peers().get(1).build()).isNull();
    reports(
        new Results(
            Machine.facts(),
            Map.of("command", "</script>"),
            List.of(size.with("stores in turn: they fit", List.of("lmdb: too large"))),
            List.of(),
            List.of()));
  }

  private static void reports(Results results) throws Exception {
    assertThat(TextReport.of(results))
        .contains("How many times the time of bsdb-blocked")
        .contains("stores in turn: they fit")
        .contains("left out: lmdb: too large");
    String page = HtmlReport.of(results);
    assertThat(page).doesNotContainPattern("/\\*[A-Z]+\\*/|<script[^>]+src=|<link|</script>\"");
    String from = "id=\"results\">";
    int start = page.indexOf(from) + from.length();
    JsonNode json =
        new ObjectMapper().readTree(page.substring(start, page.indexOf("</script>", start)));
    assertThat(json.path("parameters").path("command").asText()).isEqualTo("</script>");
    assertThat(json.path("sizes").path(0).path("peers")).hasSize(2);
  }

  @Test
  void refusesAStoreThatAnswersWrongly() throws Exception {
    Workload workload = new Workload(RECORDS);
    Store wrong =
        new Store() {
          @Override
          public byte[] get(byte[] key) {
            return workload.value(7);
          }

          @Override
          public void close() {}
        };

    StoreRun run = new StoreRun(wrong, workload, 1, 1 << 10);

    assertThatThrownBy(() -> run.prepare(Asked.UNIFORM))
        .hasMessageStartingWith("wrong answer: key=");
    for (Asked asked : Asked.values()) {
      assertThatThrownBy(() -> run.get(asked, 0)).hasMessageContaining("wrong answer");
      assertThatThrownBy(() -> run.getAll(asked, 0)).hasMessageContaining("wrong answer");
      assertThatThrownBy(() -> run.latencies(asked, 0)).hasMessageContaining("wrong answer");
      assertThatThrownBy(() -> run.threads(asked, 0, 2)).hasStackTraceContaining("wrong answer");
    }
  }
}
