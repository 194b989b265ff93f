package io.bsdb.compact;

import io.bsdb.format.Internal;
import io.bsdb.format.io.IORunnable;
import io.bsdb.format.io.Uninterrupted;
import io.bsdb.table.PublishConflictException;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a task in a separate thread when it is woken, and again after a failure, at growing
 * intervals. The thread begins when it is started, or woken for the first time.
 *
 * @hidden
 */
@Internal
public final class Background implements Closeable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Background.class);
  private static final long FIRST_RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LAST_RETRY_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final IORunnable task;
  private final Thread thread;
  private final Runnable done;
  private final long periodNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private volatile @Nullable Throwable failure;
  private boolean woken;
  private boolean closed;

  /**
   * @param period after which it runs without being woken
   * @param done called after each run, failed or not
   */
  public Background(String name, IORunnable task, Duration period, Runnable done) {
    this.periodNanos = period.toNanos();
    this.task = task;
    this.done = done;
    this.thread = new Thread(this::run, name);
    thread.setDaemon(true);
  }

  /** Begins the thread, before the task is due for the first time. */
  public void start() {
    lock.lock();
    try {
      if (thread.getState() == Thread.State.NEW && !closed) {
        thread.start();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Runs the task; once more if it is running. */
  public void wake() {
    lock.lock();
    try {
      woken = true;
      changed.signalAll();
      start();
    } finally {
      lock.unlock();
    }
  }

  /** Returns why the last run failed; null if it did not. */
  public @Nullable Throwable failure() {
    return failure;
  }

  private void run() {
    long retry = FIRST_RETRY_NANOS;
    while (await(failure == null ? periodNanos : retry)) {
      try {
        try {
          task.run();
          failure = null;
          retry = FIRST_RETRY_NANOS;
        } catch (IOException | RuntimeException | Error e) {
          retry = Math.min(2 * retry, LAST_RETRY_NANOS);
          failed(e);
        }
        done.run();
      } catch (RuntimeException | Error e) {
        failure = e; // as without memory to log; others wait for this thread, so it goes on
      }
    }
  }

  private void failed(Throwable e) {
    boolean first = failure == null || failure instanceof PublishConflictException;
    failure = e;
    lock.lock();
    try {
      if (e instanceof PublishConflictException) {
        LOGGER.info("{} was overtaken and will try again: {}", thread.getName(), e.getMessage());
      } else if (first && !closed) {
        LOGGER.error("{} failed and will be tried again", thread.getName(), e);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the task is due; returns false once this has ended. */
  private boolean await(long atMost) {
    lock.lock();
    try {
      long rest = atMost;
      while (!woken && !closed && rest > 0) {
        rest = changed.awaitNanos(rest);
      }
      woken = false;
      return !closed;
    } catch (InterruptedException | OutOfMemoryError e) {
      return !closed; // it is interrupted to end; or there is no memory to wait
    } finally {
      lock.unlock();
    }
  }

  /** Allows no further run; a failure of the current one is not logged. */
  public void end() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Interrupts the task after {@link #end}. */
  void interrupt() {
    thread.interrupt();
  }

  /** Waits for a run to end. */
  @Override
  public void close() {
    end();
    Uninterrupted.join(thread);
  }
}
