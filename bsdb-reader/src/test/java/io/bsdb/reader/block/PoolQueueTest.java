package io.bsdb.reader.block;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.format.block.Block;
import io.bsdb.reader.metrics.LookupCounters;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads that read, and what may not end them. */
@Timeout(120)
class PoolQueueTest {
  private final PoolQueue queue = queue();

  private static PoolQueue queue() {
    return new PoolQueue(
        new DiskBlocks(
            DiskBlocks.Queue.POOL,
            "test",
            1,
            List.of(),
            new LookupCounters(),
            () -> new IllegalStateException("closed")),
        "test");
  }

  /** Calls back with a failure, as there is no file. */
  @SuppressWarnings("NullAway") // there is none
  private static BlockRequest request(Runnable callback) {
    return new BlockRequest(null, 0) {
      @Override
      protected void fetched(Block block, int base) {
        throw new AssertionError();
      }

      @Override
      protected void failed(Throwable cause) {
        callback.run();
      }
    };
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Thread threadOf(PoolQueue queue) throws InterruptedException {
    AtomicReference<Thread> thread = new AtomicReference<>();
    CountDownLatch called = new CountDownLatch(1);
    queue.add(
        request(
            () -> {
              thread.set(Thread.currentThread());
              called.countDown();
            }));
    called.await();
    return thread.get();
  }

  @Test
  void threadsOutliveCallbacksThatThrowOrInterrupt() throws Exception {
    Thread thread = threadOf(queue);
    queue.add(
        request(
            () -> {
              throw new IllegalStateException();
            }));
    queue.add(request(() -> Thread.currentThread().interrupt()));
    assertThat(threadOf(queue)).isSameAs(thread);
    queue.close();
    thread.join();
    assertThat(queue.inFlight()).isZero();
  }

  @Test
  void answersInOrderAndFailsTheRestAtTheClose() throws Exception {
    List<Integer> answered = new ArrayList<>();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch closing = new CountDownLatch(1);
    for (int i = 0; i < 3; i++) {
      int number = i;
      queue.add(request(() -> answered.add(number)));
    }
    queue.add(
        request(
            () -> {
              begun.countDown();
              await(closing);
            }));
    begun.await();
    assertThat(answered).containsExactly(0, 1, 2);
    List<Thread> failing = new ArrayList<>();
    queue.add(
        request(
            () -> {
              failing.add(Thread.currentThread());
              closing.countDown();
            }));
    assertThat(queue.inFlight()).isEqualTo(2);
    queue.close();
    queue.add(request(() -> failing.add(Thread.currentThread())));
    assertThat(failing).containsExactly(Thread.currentThread(), Thread.currentThread());
    assertThat(queue.inFlight()).isZero();
  }

  @Test
  void interruptsOfACallbackDoNotReachTheNextOne() throws Exception {
    CountDownLatch queued = new CountDownLatch(1);
    queue.add(
        request(
            () -> {
              await(queued);
              Thread.currentThread().interrupt();
            }));
    List<Boolean> interrupted = new ArrayList<>();
    queue.add(request(() -> interrupted.add(Thread.interrupted())));
    queued.countDown();
    threadOf(queue);
    queue.close();
    assertThat(interrupted).containsExactly(false);
  }

  @Test
  void aCallbackThatThrowsAtTheCloseKeepsNothingOpen() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch closing = new CountDownLatch(1);
    AtomicReference<Thread> thread = new AtomicReference<>();
    queue.add(
        request(
            () -> {
              thread.set(Thread.currentThread());
              begun.countDown();
              await(closing);
            }));
    assertThat(queue.inFlight()).isEqualTo(1);
    begun.await();
    queue.add(
        request(
            () -> {
              throw new IllegalStateException();
            }));
    queue.add(request(closing::countDown));
    try {
      queue.close();
    } finally {
      closing.countDown();
    }
    thread.get().join();
    assertThat(queue.inFlight()).isZero();
  }
}
