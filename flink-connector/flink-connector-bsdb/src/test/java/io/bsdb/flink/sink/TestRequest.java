package io.bsdb.flink.sink;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.connector.sink2.Committer.CommitRequest;

/**
 * A request to commit, and what became of it.
 *
 * @param repeated how often Flink was told that it had been committed before
 */
public record TestRequest<C>(C committable, AtomicInteger repeated) implements CommitRequest<C> {
  public TestRequest(C committable) {
    this(committable, new AtomicInteger());
  }

  @Override
  public C getCommittable() {
    return committable;
  }

  @Override
  public int getNumberOfRetries() {
    return 0;
  }

  @Override
  public void signalFailedWithKnownReason(Throwable cause) {
    throw new AssertionError(cause);
  }

  @Override
  public void signalFailedWithUnknownReason(Throwable cause) {
    throw new AssertionError(cause);
  }

  @Override
  public void retryLater() {
    throw new AssertionError("not to be repeated by Flink");
  }

  @Override
  public void updateAndRetryLater(C other) {
    throw new AssertionError("not to be repeated by Flink");
  }

  @Override
  public void signalAlreadyCommitted() {
    repeated.incrementAndGet();
  }
}
