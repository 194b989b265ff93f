package io.bsdb.reader.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class RefreshTimerTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  /** Else the table would never be refreshed again, and nobody would know. */
  @Test
  void goesOnAfterAFailure() throws InterruptedException {
    CountDownLatch calls = new CountDownLatch(3);
    RefreshTimer timer =
        new RefreshTimer(
            "t",
            Duration.ofNanos(1),
            () -> {
              calls.countDown();
              throw new OutOfMemoryError("thrown by a test");
            });
    assertThat(calls.await(60, TimeUnit.SECONDS)).as("it is called again").isTrue();
    assertThat(timer.stop(LONG)).isTrue();
  }

  /** One whose interrupt came from its own listener, say. */
  @Test
  void beginsWithoutTheInterruptOfTheTaskBefore() throws InterruptedException {
    AtomicBoolean interrupted = new AtomicBoolean();
    CountDownLatch called = new CountDownLatch(2);
    RefreshTimer timer = new RefreshTimer("t", LONG, () -> {});
    Runnable task =
        () -> {
          interrupted.compareAndSet(false, Thread.currentThread().isInterrupted());
          Thread.currentThread().interrupt();
          called.countDown();
        };
    assertThat(timer.execute(task)).isTrue();
    assertThat(timer.execute(task)).isTrue();
    assertThat(called.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(interrupted).isFalse();
    assertThat(timer.stop(LONG)).isTrue();
    assertThat(timer.execute(task)).as("after the stop").isFalse();
  }

  @Test
  void interruptsWhatRunsWhenItIsStopped() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    RefreshTimer timer =
        new RefreshTimer(
            "t",
            Duration.ofNanos(1),
            () -> {
              begun.countDown();
              try {
                never.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    begun.await();
    assertThat(timer.stop(LONG)).as("it has ended").isTrue();
  }
}
