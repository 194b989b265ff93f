package io.bsdb.compact;

import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/** Limits a rate of bytes: lets a second's worth pass at once, then waits. Used by one thread. */
final class Throttle {
  private final long bytesPerSecond;
  private long start = System.nanoTime();
  private long bytes;

  Throttle(long bytesPerSecond) {
    this.bytesPerSecond = bytesPerSecond;
  }

  /** Waits until so many more bytes may pass. */
  void pass(int more) throws InterruptedIOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted while compacting");
    }
    bytes += more;
    if (bytes < bytesPerSecond) {
      return;
    }
    long left = start + TimeUnit.SECONDS.toNanos(1) - System.nanoTime();
    if (left > 0) {
      try {
        TimeUnit.NANOSECONDS.sleep(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        InterruptedIOException interrupted =
            new InterruptedIOException("interrupted while compacting");
        interrupted.initCause(e);
        throw interrupted;
      }
    }
    start = System.nanoTime();
    bytes -= bytesPerSecond;
  }
}
