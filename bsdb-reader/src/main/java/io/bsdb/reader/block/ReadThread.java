package io.bsdb.reader.block;

import io.bsdb.format.io.IORunnable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A thread that completes requests, and with them the futures of callers. What they do when a
 * future completes runs in it, so it must never wait for another request.
 */
public final class ReadThread extends Thread {
  private static final long MAX_WAIT_NANOS = 10_000_000_000L;

  private boolean lends;

  ReadThread(Runnable task, String name) {
    super(task, name);
    setDaemon(true);
  }

  /**
   * Runs a task that lends values. If the calling thread is a read thread, the task must not use a
   * table.
   */
  public static void lending(IORunnable task) throws IOException {
    if (!(Thread.currentThread() instanceof ReadThread thread)) {
      task.run();
      return;
    }
    thread.lends = true;
    try {
      task.run();
    } finally {
      thread.lends = false;
    }
  }

  /**
   * Completes a future, also where the heap is full just now: waits up to 10 s for 16 bytes. A
   * stage for whose own failure there is no memory is left out by Java.
   */
  public static <T> void complete(
      CompletableFuture<T> future, @Nullable T answer, @Nullable Throwable failure) {
    complete(future, answer, failure, MAX_WAIT_NANOS);
  }

  static <T> void complete(
      CompletableFuture<T> future,
      @Nullable T answer,
      @Nullable Throwable failure,
      long maxWaitNanos) {
    long deadline = 0;
    while (true) {
      try {
        if (failure == null) {
          future.complete(answer);
        } else {
          future.completeExceptionally(failure);
        }
        return;
      } catch (OutOfMemoryError e) { // the next attempt goes on with the stages that are left
        long now = System.nanoTime(); // an attempt may take a collection of the whole heap
        if (deadline == 0) {
          deadline = now + maxWaitNanos;
        } else if (now - deadline >= 0) {
          return;
        }
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  /**
   * Refuses a lookup by a {@link io.bsdb.format.ValueReader} that this thread lends a value, as
   * other requests wait for it.
   */
  public void requireLendsNothing() {
    if (lends) {
      throw new IllegalStateException(
          "a ValueReader used a table in the thread that completes its future, for which others wait: thread=%s; use the table in a stage that depends on the future"
              .formatted(getName()));
    }
  }

  /** Returns whether the calling thread completes requests of any queue. */
  static boolean isCurrent() {
    return Thread.currentThread() instanceof ReadThread;
  }
}
