package io.bsdb.writer.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BuildMemoryTest {
  private final ExecutorService executor =
      Executors.newSingleThreadExecutor(task -> new Thread(task, "waits"));

  @AfterEach
  void stop() {
    executor.shutdownNow();
  }

  /** Asks for memory in another thread; returns when that has found that there is none. */
  private Future<Boolean> waitingFor(BuildMemory memory, long bytes, AtomicBoolean needed)
      throws InterruptedException {
    Thread[] waiting = new Thread[1];
    Future<Boolean> answer =
        executor.submit(
            () -> {
              waiting[0] = Thread.currentThread();
              return memory.acquire(bytes, needed::get);
            });
    while (waiting[0] == null || waiting[0].getState() != Thread.State.WAITING) {
      assertThat(answer).isNotDone();
      Thread.onSpinWait();
    }
    return answer;
  }

  @Test
  void aThreadWaitsUntilOthersGiveHeapBack() throws Exception {
    BuildMemory memory = new BuildMemory(100, 10);
    assertThat(memory.acquire(60, () -> true)).isTrue();
    assertThat(memory.acquire(40, () -> true)).isTrue();
    Future<Boolean> waiting = waitingFor(memory, 1, new AtomicBoolean(true));
    memory.release(40);
    assertThat(waiting.get()).isTrue();
  }

  @Test
  void aThreadWaitsUntilThereAreFewer() throws Exception {
    BuildMemory memory = new BuildMemory(100, 1);
    assertThat(memory.acquire(1, () -> true)).isTrue();
    Future<Boolean> waiting = waitingFor(memory, 1, new AtomicBoolean(true));
    memory.release(1);
    assertThat(waiting.get()).isTrue();
  }

  @Test
  void aThreadAloneGetsWhatItNeeds() throws Exception {
    BuildMemory memory = new BuildMemory(100, 0);
    assertThat(memory.acquire(1000, () -> true)).isTrue();
  }

  @Test
  void aThreadThatIsNotNeededAnyMoreGetsNothing() throws Exception {
    BuildMemory memory = new BuildMemory(100, 10);
    AtomicBoolean needed = new AtomicBoolean(true);
    assertThat(memory.acquire(100, () -> true)).isTrue();
    Future<Boolean> waiting = waitingFor(memory, 1, needed);
    needed.set(false);
    memory.release(100);
    assertThat(waiting.get()).isFalse();
    assertThat(memory.acquire(100, () -> true)).isTrue();
  }
}
