package io.bsdb.compact;

import io.bsdb.table.PartitionSource;
import io.bsdb.writer.work.BuildMemory;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Limits a rate of bytes: lets a second's worth pass at once, then waits. Any thread may pass, one
 * at a time, and any may pause and stop it.
 */
final class Throttle {
  /** Time after which a paused thread looks whether others wait for its memory. */
  private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final long bytesPerSecond;
  private long start = System.nanoTime();
  private long bytes;
  private volatile boolean unlimited;
  private volatile boolean paused;
  private volatile boolean stopped;

  /** Thrown to work that is paused, has memory of builds, and is to leave it to others. */
  static final class GivenUpException extends InterruptedIOException {
    private static final long serialVersionUID = 1L;

    GivenUpException() {
      super("paused, and other builds wait for memory; this is done again");
    }
  }

  Throttle(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Waits until so many more bytes may pass. */
  void pass(int more) throws InterruptedIOException {
    pass(more, false);
  }

  /**
   * Returns the same for threads that have memory of builds, which all tables of the process share:
   * while paused they give up if others wait for it, by a {@link GivenUpException}.
   */
  PartitionSource.Progress ofHolders() {
    return new PartitionSource.Progress() {
      @Override
      public void pass(int more) throws InterruptedIOException {
        Throttle.this.pass(more, true);
      }

      @Override
      public boolean isStopped() {
        return stopped;
      }
    };
  }

  private synchronized void pass(int more, boolean holdsMemory) throws InterruptedIOException {
    if (stopped || Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted while compacting");
    }
    bytes += more;
    if (bytes < bytesPerSecond && !paused) {
      return;
    }
    await(holdsMemory);
    start = System.nanoTime();
    bytes = Math.max(0, bytes - bytesPerSecond);
  }

  private void await(boolean holdsMemory) throws InterruptedIOException {
    lock.lock();
    try {
      long left = remaining();
      while (!stopped && (paused || left > 0)) {
        if (!paused) {
          changed.awaitNanos(left);
        } else if (!holdsMemory) {
          changed.await();
        } else if (BuildMemory.ofProcess().isAwaited()) {
          throw new GivenUpException();
        } else {
          changed.awaitNanos(CHECK_NANOS);
        }
        left = remaining();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException("interrupted while compacting");
      interrupted.initCause(e);
      throw interrupted;
    } finally {
      lock.unlock();
    }
    if (stopped) {
      throw new InterruptedIOException("interrupted while compacting");
    }
  }

  private long remaining() {
    return unlimited || bytes < bytesPerSecond
        ? 0
        : start + TimeUnit.SECONDS.toNanos(1) - System.nanoTime();
  }

  void unlimited(boolean value) {
    if (unlimited != value) {
      set(() -> unlimited = value);
    }
  }

  void pause() {
    set(() -> paused = true);
  }

  void resume() {
    set(() -> paused = false);
  }

  void stop() {
    set(() -> stopped = true);
  }

  private void set(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
