package io.bsdb.reader;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/**
 * Where threads wait until it opens. As a resource after a reader it is open before the reader
 * closes, which else would wait for them.
 */
final class Gate implements AutoCloseable {
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CompletableFuture<Void> opened = new CompletableFuture<>();

  /** Waits, also when interrupted, until it is open. */
  void pass() {
    reached.countDown();
    opened.join();
  }

  /** Waits until some thread is at it. */
  void awaitFirst() throws InterruptedException {
    reached.await();
  }

  void open() {
    opened.complete(null);
  }

  @Override
  public void close() {
    open();
  }
}
