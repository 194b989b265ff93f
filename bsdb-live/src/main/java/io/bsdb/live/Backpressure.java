package io.bsdb.live;

import io.bsdb.format.LentBytes;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Slows writers down when changes come faster than they are published and folded, so that neither
 * memory nor log grow without a bound. The load is 1 where work in the background begins.
 */
final class Backpressure {
  private static final double SLOW = 1.5;

  /** The load at which writers wait. */
  static final double FULL = 2;

  private static final long MAX_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Supplier<@Nullable String> obstacle;
  private volatile double load;
  private boolean closed;

  /**
   * @param obstacle says why the load will not fall; null if it will
   */
  Backpressure(Supplier<@Nullable String> obstacle) {
    this.obstacle = obstacle;
  }

  double load() {
    return load;
  }

  /** Sets the load, or has writers look for an obstacle. */
  void set(double value) {
    load = value;
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Releases all that wait, for good. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until a change may be written.
   *
   * @throws IOException if that would take until somebody does something about it
   */
  void admit() throws IOException {
    double now = load;
    if (now <= SLOW) {
      return;
    }
    if (now < FULL) {
      LockSupport.parkNanos((long) ((now - SLOW) / (FULL - SLOW) * MAX_DELAY_NANOS));
      return;
    }
    LentBytes.requireLendsNothing("the limit of changes that wait to be published");
    lock.lock();
    try {
      while (load >= FULL && !closed) {
        String reason = obstacle.get();
        if (reason != null) {
          throw new IOException(
              "the changes that wait to be published and folded have reached their limit, and %s; nothing was written"
                  .formatted(reason));
        }
        changed.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }
}
