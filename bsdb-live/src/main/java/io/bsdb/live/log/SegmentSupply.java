package io.bsdb.live.log;

import io.bsdb.format.io.IORunnable;
import io.bsdb.format.io.Uninterrupted;
import io.bsdb.live.Durability;
import io.bsdb.live.log.Recovery.Recovered;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Prepares the next segment of a log while one is written, in a separate thread. Writers wait for
 * that thread, so it never waits for a writer or a lookup, only for the disk and for requests.
 */
public final class SegmentSupply implements Closeable {
  /** The length of the shortest segments that are prepared. */
  public static final int MIN_LENGTH = 1 << 20;

  private static final int GROWTH = 4;

  private final LogStorage storage;
  private final IORunnable inPlace;
  private final Durability durability;
  private final int longest;
  private final Thread thread = new Thread(this::run, "bsdb-log");
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private long number;
  private int maxLength;
  private int length;
  private @Nullable LogPart prepared;
  private @Nullable Throwable failure;
  private boolean wanted;
  private boolean closed;

  /**
   * @param log that the segments continue
   * @param maxLength maximum length of segments, unless a group needs more
   * @param durability of writes to them
   * @param inPlace fails if the log is no longer where it was opened
   */
  public SegmentSupply(Recovered log, int maxLength, Durability durability, IORunnable inPlace) {
    this.inPlace = inPlace;
    this.durability = durability;
    this.storage = log.storage();
    this.longest = maxLength;
    this.maxLength = maxLength;
    this.length = length(log.end(), maxLength);
    this.prepared = log.prepared();
    this.number = prepared == null ? log.number() : prepared.segment().number();
    this.wanted = prepared == null;
    thread.setDaemon(true);
  }

  /** Begins to prepare segments. */
  public void start() {
    thread.start();
  }

  /**
   * Makes segments that are prepared from now on no longer than this, unless a group needs more.
   */
  public void limit(long bytes) {
    lock.lock();
    try {
      maxLength = (int) Math.min(longest, bytes);
    } finally {
      lock.unlock();
    }
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

  /**
   * Returns the next segment, open for writing; waits for it if necessary.
   *
   * @param room bytes that it must have
   * @param used bytes of the segment before it
   * @throws IOException if it cannot be prepared; the next call tries again
   */
  LogPart take(long room, int used) throws IOException {
    lock.lock();
    try {
      int usual = length(used, maxLength);
      length = Math.max(usual, Math.toIntExact(room));
      LogPart next = awaitPrepared();
      if (room > next.length()) {
        discard(next);
        next = awaitPrepared();
      }
      try {
        inPlace.run();
        next.writable(storage);
      } catch (IOException | RuntimeException e) {
        throw notPrepared(e);
      }
      prepared = null;
      length = usual;
      wanted = true;
      changed.signalAll();
      return next;
    } finally {
      lock.unlock();
    }
  }

  private LogPart awaitPrepared() throws IOException {
    wanted |= prepared == null;
    changed.signalAll();
    while (prepared == null && wanted && !closed) {
      changed.awaitUninterruptibly();
    }
    if (prepared == null) {
      throw notPrepared(failure);
    }
    return prepared;
  }

  /** Deletes a segment that has not been used, so that a longer one is prepared. */
  private void discard(LogPart unused) throws IOException {
    prepared = null;
    try {
      unused.close();
      inPlace.run();
      storage.delete(unused.name());
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
    int next = 1;
    while (next > 0) {
      try {
        next = awaitRequest();
        if (next > 0) {
          prepare(next);
        }
      } catch (OutOfMemoryError e) {
        // No memory to wait, either. Writers wait for this thread, so it goes on.
      }
    }
  }

  private void prepare(int next) {
    LogPart made = null;
    Throwable reason = null;
    try {
      inPlace.run();
      made = LogPart.create(storage, number + 1, next, durability);
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

  /** Returns the length of the segment that is wanted next; 0 after close. */
  private int awaitRequest() {
    lock.lock();
    try {
      while (!closed && (!wanted || prepared != null)) {
        changed.awaitUninterruptibly();
      }
      return closed ? 0 : length;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the thread; a segment that has been prepared stays for the next time. */
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
    LogPart unused = prepared;
    if (unused != null) {
      unused.close();
    }
  }
}
