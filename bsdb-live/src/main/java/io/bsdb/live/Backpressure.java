package io.bsdb.live;

import io.bsdb.format.LentBytes;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Slows writers down when changes come faster than they are published and folded, so that neither
 * memory nor log grows without bound. The load is 1 where work in the background begins.
 */
final class Backpressure {
  private static final double SLOW = 1.5;

  /** The load at which writers wait. */
  static final double FULL = 2;

  /** Delay per byte just before writers have to wait: it slows all of them down to 6.5 MB/s. */
  private static final double NANOS_PER_BYTE = 10e6 / (64 << 10);

  /** Shorter delays are left to later changes, since a thread sleeps longer than it asks for. */
  private static final long MIN_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long MAX_DELAY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Supplier<@Nullable String> obstacle;
  private final long start = System.nanoTime();

  /** The time up to which delays have paid for what was admitted, in nanoseconds from the start. */
  private final AtomicLong paid = new AtomicLong();

  private volatile double load;
  private boolean closed;

  /**
   * @param obstacle returns why the load will not fall; null if it will
   */
  Backpressure(Supplier<@Nullable String> obstacle) {
    this.obstacle = obstacle;
  }

  double load() {
    return load;
  }

  /** Sets the load, and wakes waiting writers, which look for an obstacle again. */
  void set(double value) {
    load = value;
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Releases all waiting writers; none waits any more. */
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
   * Waits until changes may be written.
   *
   * @param bytes of keys and values
   * @throws IOException if the load will not fall by itself
   */
  void admit(long bytes) throws IOException {
    double now = load;
    if (now <= SLOW) {
      return;
    }
    if (now < FULL) {
      delay((long) (bytes * NANOS_PER_BYTE * (now - SLOW) / (FULL - SLOW)));
      return;
    }
    awaitRoom();
  }

  /**
   * Limits the rate of all threads together: lets some changes pass at once, then none for a while.
   */
  private void delay(long nanos) {
    long now = System.nanoTime() - start;
    long limit = now + MAX_DELAY_NANOS; // by then the load is another one
    long due =
        paid.accumulateAndGet(nanos, (until, more) -> Math.min(limit, Math.max(until, now) + more));
    long rest = due - now;
    if (rest >= MIN_DELAY_NANOS) {
      LockSupport.parkNanos(rest);
    }
  }

  private void awaitRoom() throws IOException {
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
