package io.bsdb.writer.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BuildMemoryTest {
  private final ExecutorService executor =
      Executors.newCachedThreadPool(task -> new Thread(task, "waits"));

  @AfterEach
  void stop() {
    executor.shutdownNow();
  }

  /** Asks for memory in another thread; returns when that has found that there is none. */
  private Future<Boolean> waitingFor(BuildMemory memory, long bytes, AtomicBoolean needed)
      throws InterruptedException {
    return waitingFor(memory.share(bytes), needed);
  }

  private Future<Boolean> waitingFor(BuildMemory.Share share, AtomicBoolean needed)
      throws InterruptedException {
    Thread[] waiting = new Thread[1];
    Future<Boolean> answer =
        executor.submit(
            () -> {
              waiting[0] = Thread.currentThread();
              return share.acquire(needed::get);
            });
    while (waiting[0] == null || waiting[0].getState() != Thread.State.TIMED_WAITING) {
      assertThat(answer).isNotDone();
      Thread.onSpinWait();
    }
    return answer;
  }

  @Test
  void aThreadWaitsUntilOthersGiveHeapBack() throws Exception {
    BuildMemory memory = new BuildMemory(100, 10);
    BuildMemory.Share share = memory.share(40);
    assertThat(memory.share(60).acquire(() -> true)).isTrue();
    assertThat(share.acquire(() -> true)).isTrue();
    Future<Boolean> waiting = waitingFor(memory, 1, new AtomicBoolean(true));
    share.release();
    assertThat(waiting.get()).isTrue();
  }

  @Test
  void aThreadWaitsUntilThereAreFewer() throws Exception {
    BuildMemory memory = new BuildMemory(100, 1);
    BuildMemory.Share share = memory.share(1);
    assertThat(share.acquire(() -> true)).isTrue();
    Future<Boolean> waiting = waitingFor(memory, 1, new AtomicBoolean(true));
    share.release();
    assertThat(waiting.get()).isTrue();
  }

  @Test
  void aThreadAloneGetsWhatItNeeds() throws Exception {
    BuildMemory memory = new BuildMemory(100, 0);
    assertThat(memory.share(1000).acquire(() -> true)).isTrue();
  }

  @Test
  void aThreadThatIsNotNeededAnyMoreGetsNothing() throws Exception {
    BuildMemory memory = new BuildMemory(100, 10);
    AtomicBoolean needed = new AtomicBoolean(true);
    BuildMemory.Share share = memory.share(100);
    assertThat(share.acquire(() -> true)).isTrue();
    Future<Boolean> waiting = waitingFor(memory, 1, needed);
    needed.set(false); // which it finds out although nothing is given back
    assertThat(waiting.get()).isFalse();
    share.release();
    assertThat(share.acquire(() -> true)).isTrue();
  }

  @Test
  void knowsWhetherABuildWaitsThatHasNothing() throws Exception {
    BuildMemory memory = new BuildMemory(100, 10);
    BuildMemory.Share share = memory.share(100);
    assertThat(share.acquire(() -> true)).isTrue();
    AtomicBoolean needed = new AtomicBoolean(true);
    Future<Boolean> second = executor.submit(() -> share.acquire(needed::get));
    Future<Boolean> other = waitingFor(memory, 1, needed);
    assertThat(memory.isAwaited()).isTrue();
    needed.set(false);
    assertThat(second.get()).isFalse();
    assertThat(other.get()).isFalse();
    assertThat(memory.isAwaited()).isFalse();
  }

  @Test
  void aBuildThatHasSomeIsNotWaitedFor() throws Exception {
    BuildMemory memory = new BuildMemory(100, 10);
    BuildMemory.Share share = memory.share(100);
    assertThat(share.acquire(() -> true)).isTrue();
    AtomicBoolean needed = new AtomicBoolean(true);
    Future<Boolean> second = waitingFor(share, needed);
    assertThat(memory.isAwaited()).isFalse();
    share.release();
    assertThat(second.get()).isTrue();
  }
}
