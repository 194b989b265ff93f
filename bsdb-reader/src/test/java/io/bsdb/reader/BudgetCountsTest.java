package io.bsdb.reader;

import static io.bsdb.reader.BudgetedReads.PLENTY;
import static io.bsdb.reader.BudgetedReads.adjust;
import static io.bsdb.reader.BudgetedReads.assertSomeFound;
import static io.bsdb.reader.BudgetedReads.budget;
import static io.bsdb.reader.BudgetedReads.data;
import static io.bsdb.reader.BudgetedReads.forgetData;
import static io.bsdb.reader.BudgetedReads.options;
import static io.bsdb.reader.BudgetedReads.writer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bsdb.reader.io.HugeMemory;
import io.bsdb.reader.memory.MemoryBudget;
import io.bsdb.reader.memory.MemoryBudgetExceededException;
import io.bsdb.reader.memory.SignatureUnit;
import io.bsdb.reader.options.ReaderOptions;
import io.bsdb.table.manifest.RecordOrder;
import io.bsdb.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What counts within a budget, and the thread that loads signatures into what is left. */
@ExtendWith(NothingLeftOpen.class)
class BudgetCountsTest {
  @TempDir Path directory;

  @AfterAll
  static void forget() {
    forgetData();
  }

  /** A lookup may still read what was replaced, so it counts until that lookup has ended. */
  @Test
  void whatALookupMayReadIsKeptAndCounts() throws Exception {
    TestData data = data(19);
    data.publish(directory, writer(RecordOrder.HASH).build());
    MemoryBudget memory = budget(PLENTY);
    try (SnapshotReader reader = SnapshotReader.open(directory, options(memory).build())) {
      adjust(memory);
      long allocations = HugeMemory.openCount();
      long used = memory.usedBytes();
      long all = PLENTY - memory.indexBytes();
      CountDownLatch began = new CountDownLatch(1);
      CompletableFuture<Integer> mayEnd = new CompletableFuture<>();
      Thread lookup =
          new Thread(
              () -> {
                try {
                  reader.get(
                      data.keys().get(3),
                      (key, bytes, offset, length) -> {
                        began.countDown();
                        return mayEnd.join();
                      });
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      lookup.start();
      try {
        began.await();
        assertThatThrownBy(() -> memory.claim(all, "test", "none"))
            .isInstanceOf(MemoryBudgetExceededException.class);
        assertThat(reader.metrics().signatureBits()).isZero();
        assertThat(HugeMemory.openCount()).isEqualTo(allocations);
        assertThat(memory.usedBytes()).isEqualTo(used);
      } finally {
        mayEnd.complete(1);
        lookup.join();
      }
      memory.claim(all, "test", "none").close();
      assertThat(HugeMemory.openCount()).isEqualTo(allocations - reader.partitionCount());
    }
  }

  @Test
  void countsRightWhateverManyThreadsTake() throws Exception {
    MemoryBudget memory = budget(1_000);
    ExecutorService pool = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Integer>> takers =
          Collections.nCopies(
              4,
              () -> {
                int taken = 0;
                for (int i = 0; i < 100_000; i++) {
                  int bytes = 300 + i % 7;
                  if (memory.tryTake(MemoryBudget.Use.INDEX, bytes)) {
                    taken++;
                    assertThat(memory.usedBytes() <= 1_000).isTrue();
                    memory.giveBack(MemoryBudget.Use.INDEX, bytes);
                  }
                }
                return taken;
              });
      int taken = 0;
      for (Future<Integer> each : pool.invokeAll(takers)) {
        taken += each.get();
      }
      assertThat(taken).isPositive();
    } finally {
      pool.shutdown();
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void theThreadThatLoadsEndsWithTheLastReader() throws Exception {
    data(17).publish(directory, writer(RecordOrder.HASH).build());
    MemoryBudget memory = MemoryBudget.of(PLENTY, Duration.ofMillis(1));
    try (SnapshotReader reader = SnapshotReader.open(directory, options(memory).build())) {
      Await.until(() -> reader.metrics().signatureBits() >= 8);
      assertSomeFound(data(17), reader);
    }
    assertThat(memory.usedBytes()).isZero();
  }

  /** Else signatures would never be loaded again, and memory that was replaced never be freed. */
  @Test
  void theThreadThatLoadsGoesOnWhenMemoryIsShort() throws Exception {
    MemoryBudget memory = MemoryBudget.of(PLENTY, Duration.ofMillis(1));
    SignatureUnit unit = new SignatureUnit();
    AtomicInteger loads = new AtomicInteger();
    CountDownLatch third = new CountDownLatch(3);
    SignatureUnit.Member member =
        new SignatureUnit.Member() {
          @Override
          public int maxBits() {
            return 8;
          }

          @Override
          public int bits() {
            return 0;
          }

          @Override
          public long bytes(int bits) {
            return 1000L * bits;
          }

          @Override
          public boolean hold(int bits) {
            third.countDown();
            switch (loads.incrementAndGet()) {
              case 1 -> throw new OutOfMemoryError("Cannot reserve direct buffer memory");
              case 2 -> throw new StackOverflowError("thrown by a test");
              default -> {
                return true;
              }
            }
          }
        };
    unit.add(member);
    memory.elastic().add(List.of(unit));
    assertThat(third.await(60, TimeUnit.SECONDS)).as("loads again").isTrue();
    assertThat(memory.failedSignatureLoads()).isEqualTo(1);
    unit.remove(member);
    memory.elastic().remove(unit);
  }

  @Test
  void theProcessHasABudgetThatCounts() {
    assertThat(MemoryBudget.ofProcess()).isSameAs(MemoryBudget.ofProcess());
    assertThat(MemoryBudget.ofProcess().isLimited()).isFalse();
    assertThat(ReaderOptions.defaults().memory()).isSameAs(MemoryBudget.ofProcess());
    assertThat(List.of("64k", "3M", " 4g ", "1T", "17"))
        .extracting(size -> MemoryBudget.parse(size).limitBytes())
        .containsExactly(64L << 10, 3L << 20, 4L << 30, 1L << 40, 17L);
    for (String wrong : List.of("", "g", "-1", "4 gb", "0", "99999999999t")) {
      assertThatThrownBy(() -> MemoryBudget.parse(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("memory budget");
    }
  }
}
