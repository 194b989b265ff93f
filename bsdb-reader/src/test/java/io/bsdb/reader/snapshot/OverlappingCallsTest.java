package io.bsdb.reader.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.bsdb.reader.ClosedReaderException;
import io.bsdb.testkit.Await;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Calls that end soon, but never all at once: one always begins before the other one ends. */
class OverlappingCallsTest {
  private static final int CALLS = 300_000;

  private final Calls calls = new Calls("test", ClosedReaderException::new);
  private final AtomicBoolean ended = new AtomicBoolean();

  private static long stripe(Thread thread) {
    return (thread.getId() * 0x9E3779B97F4A7C15L) >>> 58;
  }

  /** Calls again and again, while a call of the other thread is in flight. */
  private void overlap(Semaphore mine, Semaphore others) {
    int call = -1;
    for (int i = 0; i < CALLS && !ended.get(); i++) {
      mine.acquireUninterruptibly();
      if (call >= 0) {
        calls.missed(call);
      }
      call = calls.enter();
      others.release();
    }
    calls.missed(call);
    others.release(CALLS);
  }

  @Test
  void thoseInFlightAreAwaitedWhileOthersBegin() throws InterruptedException {
    Semaphore turn = new Semaphore(1);
    Semaphore other = new Semaphore(0);
    Thread first = new Thread(() -> overlap(turn, other), "first");
    Thread second = null;
    while (second == null || stripe(second) != stripe(first)) { // they share counters
      second = new Thread(() -> overlap(other, turn), "second");
    }
    first.start();
    second.start();
    Await.until(() -> calls.misses() >= 100);
    calls.awaitEnd();
    ended.set(true);
    long begun = calls.misses();
    first.join();
    second.join();
    assertThat(begun).isLessThan(2 * CALLS - 2);
  }
}
