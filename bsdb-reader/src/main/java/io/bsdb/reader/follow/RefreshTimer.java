package io.bsdb.reader.follow;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs a refresh repeatedly in a separate thread, first at a random time, so that many processes do
 * not refresh at once.
 */
final class RefreshTimer {
  private final ScheduledThreadPoolExecutor executor;
  private final boolean hasThread;
  private volatile @Nullable Thread thread;

  /**
   * Starts.
   *
   * @param table is named in the thread's name
   * @param interval between the end of a refresh and the start of the next; zero for none at all
   */
  RefreshTimer(String table, Duration interval, Runnable refresh) {
    executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread started = new Thread(task, "bsdb-refresh-" + table);
              started.setDaemon(true);
              thread = started;
              return started;
            });
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    executor.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
    hasThread = !interval.isZero();
    if (hasThread) {
      long nanos = TimeUnit.NANOSECONDS.convert(interval); // at most 292 years
      long firstDelay = nanos / 2 + ThreadLocalRandom.current().nextLong(Math.max(1, nanos / 2));
      var unused =
          executor.scheduleWithFixedDelay(refresh, firstDelay, nanos, TimeUnit.NANOSECONDS);
    }
  }

  /**
   * Runs a task in the same thread, as soon as it has time.
   *
   * @return false if there is none: no interval was given, or after {@link #stop}
   */
  boolean execute(Runnable task) {
    if (!hasThread) {
      return false;
    }
    try {
      executor.execute(task);
      return true;
    } catch (RejectedExecutionException closed) {
      return false;
    }
  }

  /**
   * Stops; interrupts a refresh in flight, as a large version may take minutes to copy, and waits
   * for its end, unless the refresh itself has called this.
   *
   * @param timeout how long to wait at most: a storage that does not answer may ignore interrupts
   * @return whether no refresh is in flight any more, but for the one that has called this
   */
  boolean stop(Duration timeout) {
    executor.shutdownNow();
    if (Thread.currentThread() == thread) {
      return true;
    }
    boolean interrupted = false;
    long end = System.nanoTime() + timeout.toNanos();
    long left = timeout.toNanos();
    while (!executor.isTerminated() && left > 0) {
      try {
        var unused = executor.awaitTermination(left, TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      left = end - System.nanoTime();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return executor.isTerminated();
  }
}
