package io.bsdb.flink.lookup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class UnderWayTest {
  private final UnderWay underWay = new UnderWay();

  @Test
  void nothingIsNotWaitedFor() {
    underWay.awaitEnd();
  }

  @Test
  void theLastOfManyEndsTheWait() throws Exception {
    int many = 200_000;
    for (int i = 0; i < many; i++) {
      underWay.begin();
    }
    Thread waiting = new Thread(underWay::awaitEnd, "test-waiting");
    waiting.start();
    for (int i = 0; i < many - 1; i++) {
      underWay.end();
    }
    while (waiting.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    underWay.end();
    waiting.join();
  }

  @Test
  void anInterruptIsKept() {
    underWay.begin();
    Thread.currentThread().interrupt();
    Thread ending = new Thread(underWay::end, "test-ending");
    ending.start();
    underWay.awaitEnd();
    assertThat(Thread.interrupted()).isTrue();
  }
}
