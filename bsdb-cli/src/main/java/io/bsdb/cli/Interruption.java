package io.bsdb.cli;

import java.io.Closeable;
import java.io.InterruptedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets this thread's work clean up after itself when the process is told to end, by Ctrl-C for one:
 * the thread is interrupted, and the process waits until the work is closed. What takes longer, or
 * is killed, is left to 'bsdb sweep'.
 */
final class Interruption implements Closeable {
  private static final long WAIT_SECONDS = 30;

  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread hook;
  private volatile boolean requested;

  private Interruption(Thread worker) {
    hook =
        new Thread(
            () -> {
              requested = true;
              worker.interrupt();
              awaitClose();
            },
            "bsdb-interruption");
  }

  /** Watches over the work that this thread does until it closes this. */
  static Interruption ofThisThread() {
    Interruption interruption = new Interruption(Thread.currentThread());
    Runtime.getRuntime().addShutdownHook(interruption.hook);
    return interruption;
  }

  private void awaitClose() {
    try {
      closed.await(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  boolean isRequested() {
    return requested;
  }

  /** For work that does not wait for anything. */
  void check() throws InterruptedIOException {
    if (requested) {
      throw new InterruptedIOException("interrupted");
    }
  }

  @Override
  public void close() {
    if (!requested) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException processIsEnding) {
        // the hook has been started, or is about to be
      }
    }
    closed.countDown();
  }
}
