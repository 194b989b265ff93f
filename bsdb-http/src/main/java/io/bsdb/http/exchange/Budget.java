package io.bsdb.http.exchange;

import java.io.Closeable;
import java.util.concurrent.atomic.AtomicLong;

/** The memory that all answers in flight take together. Safe for use by many threads. */
public final class Budget {
  private final long most;
  private final AtomicLong used = new AtomicLong();

  /**
   * @param most bytes
   */
  public Budget(long most) {
    this.most = most;
  }

  public long used() {
    return used.get();
  }

  /** The part of one answer. Safe for use by many threads. */
  public final class Share implements Closeable {
    private long bytes;
    private boolean closed;

    /**
     * Adds bytes to this part.
     *
     * @throws Problem if all answers would take more than they may
     */
    public synchronized void add(long more) {
      long sum = used.addAndGet(more);
      if (sum > most || closed) {
        used.addAndGet(-more);
        throw new Problem(
            Problem.Kind.OVERLOADED,
            "all answers in flight take at most %d bytes together; ask for less, or later",
            most);
      }
      bytes += more;
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        used.addAndGet(-bytes);
      }
    }
  }
}
