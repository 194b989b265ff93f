package io.bsdb.live.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.snapshot.Calls;
import io.bsdb.testkit.LoggedLines;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReclaimerTest {
  /** Else files and memory would stay until the table is closed, and after that. */
  @Test
  void goesOnIfNothingCanBeLogged() throws Exception {
    CountDownLatch closed = new CountDownLatch(2);
    try (LoggedLines unused = LoggedLines.failing(Reclaimer.class);
        Reclaimer reclaimer = new Reclaimer(new Calls("test", IllegalStateException::new))) {
      reclaimer.retire(
          () -> {
            closed.countDown();
            throw new IOException("thrown by a test");
          });
      reclaimer.retire(closed::countDown);
      reclaimer.start();
      assertThat(closed.await(60, TimeUnit.SECONDS)).as("both are closed").isTrue();
    }
  }
}
