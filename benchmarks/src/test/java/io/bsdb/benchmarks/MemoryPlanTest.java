package io.bsdb.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.benchmarks.MemoryPlan.Need;
import io.bsdb.benchmarks.peers.Peer;
import io.bsdb.benchmarks.peers.Peers;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryPlanTest {
  private static final long GIB = 1L << 30;

  /** What every process takes beside its heap. */
  private static final long PROCESS = 128L << 20;

  private static Need mapped(String store, String files, long fileBytes) {
    return new Need(store, files, fileBytes, GIB, 0, false);
  }

  private static MemoryPlan plan(long available, Need... needs) {
    return new MemoryPlan(List.of(needs), available, 8 * GIB);
  }

  @Test
  void storesThatFitTakeTurns() {
    Need[] needs = {mapped("a", "a", 3 * GIB), mapped("b", "b", 4 * GIB)};
    long needed = 9 * GIB + 2 * PROCESS;

    assertThat(plan(needed / 9 * 10 + 100, needs).isTogether()).isTrue();
    assertThat(plan(needed / 9 * 10 - 100, needs).isTogether()).isFalse();
    assertThat(plan(20 * GIB, needs).words())
        .isEqualTo(
            "stores in turn: processes of 2,304 MiB and files of 7,168 MiB fit nine tenths of the"
                + " available memory, 18,432 MiB");
    assertThat(plan(10 * GIB, needs).words())
        .startsWith("one store at a time: processes of 2,304 MiB")
        .contains("do not fit nine tenths");
  }

  @Test
  void sharedFilesCountOnceAndCopiesForEachProcess() {
    Need one = mapped("a", "shared", 8 * GIB);
    Need same = mapped("b", "shared", 8 * GIB);
    Need copy = new Need("c", "shared", 0, GIB, 8 * GIB, false);

    assertThat(plan(12 * GIB, one, same).isTogether()).isTrue();
    assertThat(plan(12 * GIB, one, copy).isTogether()).isFalse();
    assertThat(plan(24 * GIB, one, copy).isTogether()).isTrue();
  }

  @Test
  void aHeapThatCannotHoldItsRecordsIsLeftOut() {
    Need store = mapped("a", "a", GIB);
    Need fits = new Need("heap", "heap", 0, 8 * GIB, 0, true);
    Need tooLarge = new Need("heap", "heap", 0, 8 * GIB + 1, 0, true);
    Need withoutRecords = new Need("cache", "b", 0, 9 * GIB, 0, false);

    assertThat(plan(20 * GIB, store, fits).leftOut()).isEmpty();
    MemoryPlan plan = plan(20 * GIB, store, tooLarge);
    assertThat(plan.leftOut()).containsOnlyKeys("heap");
    assertThat(plan.leftOut().get("heap")).contains("8,192 MiB").contains("BENCH_HEAP");
    assertThat(plan.words()).contains("processes of 1,152 MiB");
    assertThat(plan(20 * GIB, store, withoutRecords).leftOut()).isEmpty();
  }

  @Test
  void aProcessThatFitsNoMemoryIsLeftOut() {
    Need copy = new Need("copy", "a", 0, GIB, 20 * GIB, false);

    assertThat(plan(20 * GIB, copy, mapped("a", "a", 20 * GIB)).leftOut()).containsOnlyKeys("copy");
  }

  @Test
  void tellsWhatStoresNeedByTheirFiles(@TempDir Path data) throws Exception {
    Sources sources = Sources.of(data, new Workload(1000), "256m");
    List<Peer> peers = Peers.named(List.of("bsdb-blocked", "bsdb-blocked-resident", "hashmap"));
    Builds.missing(sources, peers);
    long bytes = Directories.size(data.resolve("bsdb-blocked-1000"));

    MemoryPlan plan = MemoryPlan.of(sources, peers, 1024);

    assertThat(bytes).isGreaterThan(116_000);
    assertThat(plan.needs()).extracting(Need::fileBytes).containsExactly(bytes, 0L, 0L);
    assertThat(plan.needs()).extracting(Need::copiedBytes).containsExactly(0L, bytes, 0L);
    assertThat(plan.needs())
        .extracting(Need::keepsRecordsOnHeap)
        .containsExactly(false, false, true);
    assertThat(plan.heapLimit()).isEqualTo(Runtime.getRuntime().maxMemory());
    assertThat(plan.availableBytes()).isGreaterThan(GIB / 4);
  }

  @Test
  void onlyStoresWithoutFilesNeedAHeapThatGrowsWithTheRecords() {
    for (Peer peer : Peers.named(List.of())) {
      long few = StoreProcess.heapBytes(peer, 1000, 1000);
      long many = StoreProcess.heapBytes(peer, 100_000_000, 1000);
      if (peer.hasFiles()) {
        assertThat(many).as(peer.name()).isEqualTo(few);
      } else {
        assertThat(many).as(peer.name()).isGreaterThan(32 * GIB);
      }
    }
  }
}
