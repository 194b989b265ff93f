package io.bsdb.live.log;

import io.bsdb.format.io.Uninterrupted;
import io.bsdb.reader.snapshot.Calls;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes resources once the lookups in flight that may use them have ended, in a separate thread.
 * That thread waits for lookups; only {@link #close} waits for it.
 */
public final class Reclaimer implements Closeable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Reclaimer.class);

  private final Calls calls;
  private final Thread thread = new Thread(this::run, "bsdb-reclaim");
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Queue<Closeable> retired = new ArrayDeque<>();
  private boolean closed;

  /**
   * @param calls counts the lookups in flight
   */
  public Reclaimer(Calls calls) {
    this.calls = calls;
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  /** Closes something once no lookup that is in flight now uses it. */
  public void retire(Closeable used) {
    lock.lock();
    try {
      retired.add(used);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    boolean more = true;
    while (more) {
      try {
        int count = awaitRetired();
        more = count > 0;
        closeFirst(count);
      } catch (RuntimeException | Error e) {
        // No memory to wait or to log: what is left is closed next.
      }
    }
  }

  /** Waits for something to close; returns how much there is, which is nothing once closed. */
  private int awaitRetired() {
    lock.lock();
    try {
      while (retired.isEmpty() && !closed) {
        changed.awaitUninterruptibly();
      }
      return retired.size();
    } finally {
      lock.unlock();
    }
  }

  private void closeFirst(int count) {
    calls.awaitEnd();
    for (int i = 0; i < count; i++) {
      try {
        next().close();
      } catch (IOException | RuntimeException | Error e) {
        // Its changes are published: what stays takes space until the next open deletes it.
        LOGGER.warn("a part of the log that is no longer used cannot be deleted", e);
      }
    }
  }

  private Closeable next() {
    lock.lock();
    try {
      return retired.remove();
    } finally {
      lock.unlock();
    }
  }

  /** Closes all that was retired, then ends the thread. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    Uninterrupted.join(thread);
  }
}
