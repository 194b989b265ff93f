package io.bsdb.format.io;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Waits that an interrupt does not end; the thread's interrupt status is set again afterwards. */
public final class Uninterrupted {
  private Uninterrupted() {}

  /** Waits, and returns true when what is waited for has come. */
  public interface Wait {
    boolean isOver() throws InterruptedException;
  }

  /** Waits until a wait is over. */
  public static void await(Wait wait) {
    boolean interrupted = false;
    while (true) {
      try {
        if (wait.isOver()) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for a thread to end. */
  public static void join(Thread thread) {
    await(
        () -> {
          thread.join();
          return true;
        });
  }

  /** Waits until all tasks of an executor that was shut down have ended. */
  public static void join(ExecutorService executor) {
    await(() -> executor.awaitTermination(1, TimeUnit.MINUTES));
  }

  /**
   * Waits for a result.
   *
   * @throws ExecutionException if there is a failure instead
   */
  public static <T> T get(Future<T> future) throws ExecutionException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return future.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
