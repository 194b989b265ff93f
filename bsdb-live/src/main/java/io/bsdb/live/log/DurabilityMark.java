package io.bsdb.live.log;

import io.bsdb.format.io.Uninterrupted;
import io.bsdb.live.Durability;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Regularly records in the log how far it is durable, in a separate thread. With {@link
 * Durability#OS} it first forces the log to disk, and also does so whenever much has been written.
 * The thread waits for the disk only: while a group is written it leaves the mark out, since the
 * frame of the next group records the same.
 */
public final class DurabilityMark implements Closeable {
  private static final Logger LOGGER = LoggerFactory.getLogger(DurabilityMark.class);

  private final Log log;
  private final GroupCommit commit;
  private final Durability durability;
  private final long intervalNanos;
  private final Thread thread = new Thread(this::run, "bsdb-mark");
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean woken;
  private boolean closed;

  public DurabilityMark(Log log, GroupCommit commit, Durability durability, Duration interval) {
    this.log = log;
    this.commit = commit;
    this.durability = durability;
    this.intervalNanos = interval.toNanos();
    thread.setDaemon(true);
  }

  public void start() {
    log.ifUnsynced(this::wake);
    thread.start();
  }

  private void wake() {
    lock.lock();
    try {
      woken = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    while (awaitInterval()) {
      try {
        try {
          if (durability == Durability.OS) {
            log.syncWritten();
          }
          commit.tryExclusively(log::mark);
        } catch (IOException | RuntimeException | Error e) {
          // The log takes no more changes: the next write, sync or close fails by the same cause.
          LOGGER.warn("the log could not be made durable", e);
        }
      } catch (RuntimeException | Error e) {
        // No memory to log.
      }
    }
  }

  /** Waits for the interval, or until much has been written; returns false once this is closed. */
  private boolean awaitInterval() {
    lock.lock();
    try {
      long rest = intervalNanos;
      while (rest > 0 && !woken && !closed) {
        rest = changed.awaitNanos(rest);
      }
      woken = false;
      return !closed;
    } catch (InterruptedException | OutOfMemoryError e) {
      return true; // nobody interrupts this thread, and it ends by close
    } finally {
      lock.unlock();
    }
  }

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
