package io.bsdb.reader.block;

import io.bsdb.format.io.IORunnable;
import java.io.IOException;

/**
 * A thread that completes requests, and with them the futures of callers. What they do when a
 * future completes runs in it, so it must never wait for another request.
 */
public final class ReadThread extends Thread {
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
