package io.bsdb.reader.block;

import io.bsdb.format.io.Uninterrupted;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads with threads, each waiting for one read at a time. A thread allocates nothing between two
 * requests: an executor's threads end where the heap is full, and leave their queue to nobody.
 */
final class PoolQueue implements BlockQueue {
  private static final Logger LOG = LoggerFactory.getLogger(PoolQueue.class);
  private static final int MAX_THREADS = 64;
  private static final int WAITING_PER_DEPTH = 8;
  private static final long IDLE_MILLIS = 10_000;

  private final DiskBlocks blocks;
  private final String description;
  private final int maxThreads;
  private final Semaphore room;

  /** The waiting requests, linked in the order of their arrival. */
  private @Nullable BlockRequest first;

  private @Nullable BlockRequest last;
  private int waiting;
  private int threads;

  /** The number of threads that have taken a request and not yet come back for the next. */
  private int answering;

  private int named;
  private boolean closed;

  PoolQueue(DiskBlocks blocks, String description) {
    this.blocks = blocks;
    this.description = description;
    this.maxThreads = Math.min(blocks.depth(), MAX_THREADS);
    this.room = new Semaphore(WAITING_PER_DEPTH * blocks.depth());
  }

  @Override
  public void add(BlockRequest request) {
    if (!ReadThread.isCurrent()) {
      room.acquireUninterruptibly();
      request.holdsRoom = true;
    }
    boolean added = false;
    try {
      added = append(request);
    } finally {
      if (!added) {
        makeRoom(request);
      }
    }
    if (!added) {
      request.failed(blocks.closedException());
    }
  }

  /** Returns false after the close. */
  private synchronized boolean append(BlockRequest request) {
    if (closed) {
      return false;
    }
    if (threads - answering <= waiting && threads < maxThreads) {
      try {
        new ReadThread(this::run, "bsdb-read-" + (named + 1)).start();
        named++;
        threads++;
      } catch (OutOfMemoryError e) { // no thread, or no memory for it
        if (threads == 0) {
          throw e;
        }
      }
    }
    if (last == null) {
      first = request;
    } else {
      last.next = request;
    }
    last = request;
    waiting++;
    notify();
    return true;
  }

  private void run() {
    for (BlockRequest request = next(false); request != null; request = next(true)) {
      try {
        request.completeFrom(blocks);
      } catch (Throwable e) {
        report(e);
      } finally {
        makeRoom(request);
        Thread.interrupted(); // what a callback leaves behind is not for the next one
      }
    }
  }

  /**
   * Waits for a request; returns null if the thread has to end.
   *
   * @param answered whether the thread has answered one before
   */
  private synchronized @Nullable BlockRequest next(boolean answered) {
    if (answered) {
      answering--;
    }
    long start = System.nanoTime();
    while (first == null) {
      long left = IDLE_MILLIS - (System.nanoTime() - start) / 1_000_000;
      if (closed || left <= 0) {
        threads--;
        notifyAll();
        return null;
      }
      try {
        wait(left);
      } catch (InterruptedException | OutOfMemoryError e) {
        // Somebody interrupted the thread, perhaps without memory for the exception.
      }
    }
    BlockRequest request = first;
    first = request.next;
    request.next = null;
    if (first == null) {
      last = null;
    }
    waiting--;
    answering++;
    return request;
  }

  private static void report(Throwable failure) {
    try {
      LOG.error("a request could not be answered", failure);
    } catch (Throwable e) {
      // There is no memory for that, say; others still wait for this thread.
    }
  }

  private void makeRoom(BlockRequest request) {
    if (request.holdsRoom) {
      room.release();
    }
  }

  @Override
  public synchronized long inFlight() {
    return (long) waiting + answering;
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public void close() {
    RuntimeException why = blocks.closedException(); // before anything, in case of no memory
    BlockRequest left;
    synchronized (this) {
      closed = true;
      left = first;
      first = null;
      last = null;
      waiting = 0;
      notifyAll();
    }
    for (; left != null; left = left.next) {
      makeRoom(left);
      try {
        left.failed(why);
      } catch (Throwable e) {
        report(e);
      }
    }
    Uninterrupted.await(this::haveEnded);
  }

  private synchronized boolean haveEnded() throws InterruptedException {
    while (threads > 0) {
      wait();
    }
    return true;
  }
}
