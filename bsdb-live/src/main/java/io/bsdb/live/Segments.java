package io.bsdb.live;

import io.bsdb.format.Uninterrupted;
import io.bsdb.reader.io.Closing;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares the next segment of a log while one is written, in a thread of its own, which also gives
 * back memory that lookups have left.
 */
final class Segments implements Closeable {
  private static final Logger LOGGER = LoggerFactory.getLogger(Segments.class);
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The length of the shortest segments that are prepared. */
  static final int MIN_LENGTH = 1 << 20;

  private static final int GROWTH = 4;

  private final LogStorage storage;
  private final int maxLength;
  private final BooleanSupplier lookupsHaveEnded;
  private final Thread thread = new Thread(this::run, "bsdb-log");
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final List<Closeable> retired = new ArrayList<>();
  private Runnable idle = () -> {};
  private long number;
  private int length;
  private @Nullable LogPart prepared;
  private @Nullable Throwable failure;
  private boolean wanted;
  private boolean closed;

  /**
   * @param maxLength of segments, unless more is needed
   * @param number of the last segment
   * @param used bytes of the last segment
   * @param prepared one that is there already; may be null
   * @param lookupsHaveEnded waits for the lookups that are in flight; false if they take long
   */
  Segments(
      LogStorage storage,
      int maxLength,
      long number,
      int used,
      @Nullable LogPart prepared,
      BooleanSupplier lookupsHaveEnded) {
    this.storage = storage;
    this.maxLength = maxLength;
    this.length = length(used, maxLength);
    this.number = prepared == null ? number : prepared.segment().number();
    this.prepared = prepared;
    this.wanted = prepared == null;
    this.lookupsHaveEnded = lookupsHaveEnded;
    thread.setDaemon(true);
  }

  /**
   * Begins to prepare segments.
   *
   * @param whenIdle called about once a second while there is nothing else to do
   */
  void start(Runnable whenIdle) {
    idle = whenIdle;
    thread.start();
  }

  /**
   * Returns how long a segment should be, so that small tables take little space and large ones
   * have long segments.
   *
   * @param used bytes of a segment before it
   */
  static int length(int used, int maxLength) {
    long wanted = Math.max(MIN_LENGTH, (long) GROWTH * used);
    return (int) Math.min(maxLength, wanted);
  }

  /** Returns an index that gives what it has outgrown to this. */
  LogIndex newIndex() throws IOException {
    LogIndex index = new LogIndex();
    index.retireTo(this::retire);
    return index;
  }

  /** Closes something once no lookup uses it. */
  void retire(Closeable used) {
    lock.lock();
    try {
      retired.add(used);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the next segment, open for writing; waits for it if necessary.
   *
   * @param room bytes that it has to have
   * @param used bytes of the segment before it
   * @throws IOException if it cannot be prepared; the next call tries again
   */
  LogPart take(long room, int used) throws IOException {
    lock.lock();
    try {
      length = length(used, maxLength);
      wanted |= prepared == null;
      changed.signalAll();
      while (prepared == null && wanted && !closed) {
        changed.awaitUninterruptibly();
      }
      LogPart next = prepared;
      if (next == null) {
        throw notPrepared(failure);
      }
      prepared = null;
      if (room > next.length()) {
        next = replaced(next, room);
      }
      wanted = true;
      changed.signalAll();
      return next.writable(storage);
    } finally {
      lock.unlock();
    }
  }

  /** Returns a longer segment instead of one that has not been used. */
  private LogPart replaced(LogPart unused, long room) throws IOException {
    unused.close();
    try {
      storage.delete(unused.name());
      number++;
      return LogPart.create(storage, number, Math.toIntExact(room));
    } catch (IOException | RuntimeException e) {
      throw notPrepared(e);
    }
  }

  private IOException notPrepared(@Nullable Throwable cause) {
    return new IOException(
        "no further segment of the log can be prepared: directory=%s: %s; nothing was written"
            .formatted(storage.path(""), cause == null ? "closed" : cause.getMessage()),
        cause);
  }

  private void run() {
    while (true) {
      List<Closeable> left;
      boolean prepare;
      boolean waited = false;
      lock.lock();
      try {
        prepare = wanted && prepared == null && !closed;
        if (!prepare && retired.isEmpty() && !closed) {
          waited = awaitIdleness();
        }
        if (closed) {
          return;
        }
        left = List.copyOf(retired);
      } finally {
        lock.unlock();
      }
      if (prepare) {
        prepare();
      } else if (!left.isEmpty()) {
        free(left);
      } else if (waited) {
        idle.run();
      }
    }
  }

  /** Returns whether nothing came for a second. */
  private boolean awaitIdleness() {
    try {
      long rest = IDLE_NANOS;
      while (rest > 0 && retired.isEmpty() && !closed && (!wanted || prepared != null)) {
        rest = changed.awaitNanos(rest);
      }
      return rest <= 0;
    } catch (InterruptedException e) {
      return false; // nobody interrupts this thread, and it ends by close
    }
  }

  private void prepare() {
    LogPart made = null;
    Throwable reason = null;
    try {
      made = LogPart.create(storage, number + 1, wantedLength());
    } catch (IOException | RuntimeException | Error e) {
      reason = e;
    }
    lock.lock();
    try {
      prepared = made;
      failure = reason;
      wanted = false;
      number += made == null ? 0 : 1;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private int wantedLength() {
    lock.lock();
    try {
      return length;
    } finally {
      lock.unlock();
    }
  }

  private void free(List<Closeable> left) {
    if (!lookupsHaveEnded.getAsBoolean()) {
      LockSupport.parkNanos(IDLE_NANOS / 100);
      return;
    }
    lock.lock();
    try {
      retired.removeAll(left);
    } finally {
      lock.unlock();
    }
    for (Closeable unused : left) {
      try {
        unused.close();
      } catch (IOException | RuntimeException e) {
        // Opening the table deletes what is left.
        LOGGER.warn("a part of the log that is no longer used cannot be deleted", e);
      }
    }
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    Uninterrupted.join(thread);
    List<Closeable> left = new ArrayList<>(retired);
    LogPart unused = prepared;
    if (unused != null) {
      left.add(unused);
    }
    Closing.all(left);
  }
}
