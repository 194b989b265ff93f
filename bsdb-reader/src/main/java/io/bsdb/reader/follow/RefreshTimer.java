package io.bsdb.reader.follow;

import io.bsdb.format.io.Uninterrupted;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs a refresh repeatedly in a separate thread, first at a random time, so that many processes do
 * not refresh at once. Nothing but {@link #stop} ends that thread: an executor's ends where there
 * is no memory to wait or for another thread, and then nobody would refresh any more.
 */
final class RefreshTimer {
  private final Runnable refresh;
  private final long intervalNanos;

  /** Null if no interval was given. */
  private final @Nullable Thread thread;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private boolean stopped;

  /**
   * Starts.
   *
   * @param table is named in the thread's name
   * @param interval between the end of a refresh and the start of the next; zero for none at all
   */
  RefreshTimer(String table, Duration interval, Runnable refresh) {
    this.refresh = refresh;
    this.intervalNanos = TimeUnit.NANOSECONDS.convert(interval); // at most 292 years
    if (interval.isZero()) {
      this.thread = null;
    } else {
      Thread started = new Thread(this::run, "bsdb-refresh-" + table);
      started.setDaemon(true);
      this.thread = started;
      started.start();
    }
  }

  private void run() {
    long half = intervalNanos / 2;
    long due = System.nanoTime() + half + ThreadLocalRandom.current().nextLong(Math.max(1, half));
    boolean more = true;
    while (more) {
      Runnable task = null;
      try {
        task = next(due);
        more = task != null;
        if (task != null) {
          task.run();
        }
      } catch (RuntimeException | Error e) {
        // No memory to wait, say.
      }
      if (task == refresh) {
        due = System.nanoTime() + intervalNanos;
      }
    }
  }

  /** Waits until there is something to do, and returns it; null once this is stopped. */
  private @Nullable Runnable next(long due) {
    lock.lock();
    try {
      long rest = due - System.nanoTime();
      while (!stopped && tasks.isEmpty() && rest > 0) {
        try {
          rest = changed.awaitNanos(rest);
        } catch (InterruptedException e) {
          rest = due - System.nanoTime(); // who stops this has said so before
        }
      }
      if (stopped) {
        return null;
      }
      var unused = Thread.interrupted(); // by what ran before
      Runnable task = tasks.poll();
      return task == null ? refresh : task;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Runs a task in the same thread, as soon as it has time.
   *
   * @return false if there is none: no interval was given, or after {@link #stop}
   */
  boolean execute(Runnable task) {
    lock.lock();
    try {
      if (thread == null || stopped) {
        return false;
      }
      tasks.add(task);
      changed.signalAll();
      return true;
    } finally {
      lock.unlock();
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
    lock.lock();
    try {
      stopped = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (thread == null || thread == Thread.currentThread()) {
      return true;
    }
    thread.interrupt();
    long end = System.nanoTime() + timeout.toNanos();
    Uninterrupted.await(
        () -> {
          TimeUnit.NANOSECONDS.timedJoin(thread, end - System.nanoTime());
          return true;
        });
    return !thread.isAlive();
  }
}
