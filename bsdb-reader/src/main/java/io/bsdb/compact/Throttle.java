package io.bsdb.compact;

import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Limits a rate of bytes: lets a second's worth pass at once, then waits. Any thread may pass, one
 * at a time, and any may pause and stop it.
 */
final class Throttle {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final long bytesPerSecond;
  private long start = System.nanoTime();
  private long bytes;
  private volatile boolean unlimited;
  private volatile boolean paused;
  private volatile boolean stopped;

  Throttle(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Waits until so many more bytes may pass. */
  synchronized void pass(int more) throws InterruptedIOException {
    if (stopped || Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted while compacting");
    }
    bytes += more;
    if (bytes < bytesPerSecond && !paused) {
      return;
    }
    await();
    start = System.nanoTime();
    bytes = Math.max(0, bytes - bytesPerSecond);
  }

  private void await() throws InterruptedIOException {
    lock.lock();
    try {
      long left = remaining();
      while (!stopped && (paused || left > 0)) {
        if (paused) {
          changed.await();
        } else {
          changed.awaitNanos(left);
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
