package io.bsdb.flink.lookup;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
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
    Await.until(() -> waiting.getState() == Thread.State.WAITING);
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
