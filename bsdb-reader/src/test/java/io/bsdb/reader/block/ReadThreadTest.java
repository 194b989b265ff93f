package io.bsdb.reader.block;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Futures that there is no memory to complete. */
@Timeout(60)
class ReadThreadTest {
  @Test
  void completesWhenThereIsMemoryAgain() {
    Unlucky future = new Unlucky(20);
    ReadThread.complete(future, "answer", null);
    assertThat(future).isCompletedWithValue("answer");

    Unlucky failed = new Unlucky(20);
    ReadThread.complete(failed, null, new IllegalStateException());
    assertThat(failed).isCompletedExceptionally();
  }

  @Test
  void givesUpAfterTheMaximumWaitHoweverLongAnAttemptTakes() {
    Unlucky future = new Unlucky(Integer.MAX_VALUE);
    ReadThread.complete(future, "answer", null, 0);
    assertThat(future.attempts).isEqualTo(2);
    assertThat(future).isNotDone();
  }

  /** Has no memory for the first attempts. */
  private static final class Unlucky extends CompletableFuture<String> {
    private final int failures;
    private int attempts;

    Unlucky(int failures) {
      this.failures = failures;
    }

    @Override
    public boolean complete(@Nullable String answer) {
      attempt();
      return super.complete(answer);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
      attempt();
      return super.completeExceptionally(failure);
    }

    private void attempt() {
      attempts++;
      if (attempts <= failures) {
        throw new OutOfMemoryError();
      }
    }
  }
}
