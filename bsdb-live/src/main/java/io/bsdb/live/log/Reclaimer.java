package io.bsdb.live.log;

import io.bsdb.format.Internal;
import io.bsdb.format.io.Uninterrupted;
import io.bsdb.reader.snapshot.Calls;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes resources once the lookups in flight that may use them have ended, in a separate thread.
 * That thread waits for lookups; only {@link #close} waits for it.
 *
 * @hidden
 */
@Internal
public final class Reclaimer implements Closeable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Reclaimer.class);

  private final Calls calls;
  private final Thread thread = new Thread(this::run, "bsdb-reclaim");
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Closeable> retired = new ArrayList<>();
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
    for (List<Closeable> left = take(); !left.isEmpty(); left = take()) {
      calls.awaitEnd();
      for (Closeable unused : left) {
        try {
          unused.close();
        } catch (IOException | RuntimeException | Error e) {
          // Its changes are published: what stays takes space until the next open deletes it.
          LOGGER.warn("a part of the log that is no longer used cannot be deleted", e);
        }
      }
    }
  }

  /** Waits for something to close; returns nothing once this is closed. */
  private List<Closeable> take() {
    lock.lock();
    try {
      while (retired.isEmpty() && !closed) {
        changed.awaitUninterruptibly();
      }
      List<Closeable> left = List.copyOf(retired);
      retired.clear();
      return left;
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
