package io.bsdb.flink.lookup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class InFlightTest {
  private final InFlight inFlight = new InFlight();

  @Test
  void nothingIsNotWaitedFor() {
    inFlight.awaitEnd();
  }

  @Test
  void theLastOfManyEndsTheWait() throws Exception {
    int many = 200_000;
    for (int i = 0; i < many; i++) {
      inFlight.begin();
    }
    Thread waiting = new Thread(inFlight::awaitEnd, "test-waiting");
    waiting.start();
    for (int i = 0; i < many - 1; i++) {
      inFlight.end();
    }
    while (waiting.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    inFlight.end();
    waiting.join();
  }

  @Test
  void anInterruptIsKept() {
    inFlight.begin();
    Thread.currentThread().interrupt();
    Thread ending = new Thread(inFlight::end, "test-ending");
    ending.start();
    inFlight.awaitEnd();
    assertThat(Thread.interrupted()).isTrue();
  }
}
