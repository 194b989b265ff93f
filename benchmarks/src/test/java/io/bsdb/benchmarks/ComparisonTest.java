package io.bsdb.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.benchmarks.harness.DataSet;
import io.bsdb.benchmarks.harness.Directories;
import io.bsdb.benchmarks.harness.Measure;
import io.bsdb.benchmarks.harness.Results.Row;
import io.bsdb.benchmarks.harness.Results.Section;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Store;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole small runs. How fast anything is does not matter. */
class ComparisonTest {
  private static final int RECORDS = 3000;
  private static final String HEAP = "256m";
  private static final List<String> LABELS =
      Measure.lookups().stream().map(Measure::label).toList();

  @TempDir private Path data;

  private List<Section> run(boolean discard, String... names) throws Exception {
    Builds builds = Builds.of(data, DataSet.JSON, RECORDS, HEAP);
    return new Comparison(builds, Measure.lookups(), 2, 1 << 10)
        .run(Peer.named(List.of(names), List.of()), discard);
  }

  private static void measuresAll(Section lookups, Section latencies) {
    for (Row row : lookups.rows()) {
      assertThat(row.measures()).containsKeys(LABELS.toArray(String[]::new));
      for (String label : LABELS) {
        assertThat(row.measures().get(label)).hasSize(2).allMatch(nanos -> nanos > 0);
      }
    }
    for (Row row : latencies.rows()) {
      assertThat(row.median("p50")).isBetween(1.0, row.median("p99.9"));
    }
  }

  @Test
  void measuresStoresThatTakeTurns() throws Exception {
    List<Section> sections = run(false, "bsdb-blocked", "hashmap");

    assertThat(sections).hasSize(3);
    assertThat(sections.get(0).rows()).extracting(Row::name).containsExactly("bsdb-blocked");
    Row build = sections.get(0).rows().get(0);
    assertThat(build.median("records/s")).isPositive();
    assertThat(build.median("bytes/record")).isBetween(116.0, 140.0);
    assertThat(build.median("peak, MiB")).isGreaterThan(build.median("without files, MiB"));
    assertThat(build.median("without files, MiB")).isPositive();
    Section lookups = sections.get(1);
    assertThat(lookups.rows()).extracting(Row::name).containsExactly("bsdb-blocked", "hashmap");
    measuresAll(lookups, sections.get(2));
    assertThat(lookups.rows()).allMatch(row -> row.median("memory read") > 0);
    assertThat(lookups.notes())
        .anyMatch(note -> note.startsWith("stores in turn: "))
        .anyMatch(note -> note.contains("100.0 % of"));
  }

  @Test
  void measuresOneStoreAtATimeAndDiscardsIt() throws Exception {
    List<Section> sections = run(true, "bsdb-compressed", "sparkey");

    Section lookups = sections.get(1);
    assertThat(lookups.notes()).first().asString().startsWith("one store at a time");
    assertThat(lookups.rows()).extracting(Row::name).containsExactly("bsdb-compressed", "sparkey");
    measuresAll(lookups, sections.get(2));
    assertThat(sections.get(0).rows())
        .allMatch(row -> row.median("records/s") > 0)
        .extracting(Row::name)
        .containsExactly("bsdb-compressed", "sparkey");
    for (Row row : lookups.rows()) {
      assertThat(row.median("get, in reads"))
          .isEqualTo(row.median("get") / row.median("memory read"));
      assertThat(lookups.notes()).anyMatch(note -> note.startsWith(row.name() + ": page cache"));
    }
    assertThat(data.resolve("data-3000")).exists();
    assertThat(data.resolve("sparkey-3000")).doesNotExist();
    assertThat(data.resolve("bsdb-compressed-3000.json")).doesNotExist();
  }

  @Test
  void keepsWhatWasMeasuredOfOthersIfAStoreFails() throws Exception {
    Builds builds = Builds.of(data, DataSet.JSON, RECORDS, HEAP);
    Peer sparkey = Peer.one("sparkey");
    builds.build(sparkey);
    for (Path file : Directories.files(builds.directory(sparkey))) {
      Files.write(file, new byte[0]);
    }

    Section lookups = run(true, "bsdb-blocked", "sparkey").get(1);

    assertThat(lookups.rows()).extracting(Row::name).containsExactly("bsdb-blocked");
    assertThat(lookups.notes()).anyMatch(note -> note.startsWith("left out: sparkey: failed: "));
  }

  @Test
  void buildsAgainInEveryRoundOnly() throws Exception {
    List<Peer> peers = List.of(Peer.one("bsdb-blocked"));
    Builds builds = Builds.of(data, DataSet.JSON, RECORDS, HEAP);
    Map<String, Double> first = builds.build(peers.get(0));

    assertThat(builds.build(peers.get(0))).isEqualTo(first);
    assertThat(builds.missing(peers).get(0).measures().get("records/s"))
        .containsExactly(first.get("records/s"));
    assertThat(builds.rounds(peers, 2).rows().get(0).measures().get("records/s"))
        .doesNotHaveDuplicates()
        .hasSize(2);
  }

  @Test
  void refusesAStoreThatAnswersWrongly() throws Exception {
    Workload workload = new Workload(RECORDS);
    Store wrong = key -> workload.value(7);

    StoreRun run = new StoreRun(wrong, workload, 1, 1 << 10, System::nanoTime);

    assertThatThrownBy(() -> run.prepare(Keys.UNIFORM))
        .hasMessageStartingWith("wrong answer: key=");
    for (Measure measure : Measure.lookups()) {
      assertThatThrownBy(() -> run.measure(measure, 0)).hasStackTraceContaining("wrong answer");
    }
    assertThatThrownBy(() -> run.measure(Measure.LATENCY, 0)).hasMessageContaining("wrong answer");
  }

  @Test
  void refusesWhatItDoesNotKnow() {
    Bench bench = new Bench();
    List.of("bsdb-order", "hashmap", "rocksdb", "constant", "paimon").forEach(bench::check);
    assertThatThrownBy(() -> bench.check("rocksdb-order"))
        .hasMessageStartingWith("--only: nothing has a name like rocksdb-order; names: [bsdb-");
    String directory = data.resolve("none").toString();
    for (String line : List.of("bits lookups", "lookup --records 99", "lookup --data csv")) {
      String[] arguments = (line + " --directory " + directory).split(" ", -1);
      assertThat(new Bench().run(arguments)).as(line).isEqualTo(2);
    }
    assertThat(data).isEmptyDirectory();
  }
}
