package io.bsdb.compact;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BackgroundTest {
  /** Others wait for what the thread does, for ever if it has ended. */
  @Test
  void goesOnIfThereIsNoMemoryForWhatFollowsARun() throws InterruptedException {
    AtomicInteger runs = new AtomicInteger();
    CountDownLatch second = new CountDownLatch(2);
    try (Background background =
        new Background(
            "bsdb-test",
            second::countDown,
            Duration.ofDays(1),
            () -> {
              if (runs.getAndIncrement() == 0) {
                throw new OutOfMemoryError("Java heap space");
              }
            })) {
      background.wake();
      assertThat(second.await(60, TimeUnit.SECONDS)).as("runs again").isTrue();
    }
    assertThat(runs).hasValue(2);
  }
}
