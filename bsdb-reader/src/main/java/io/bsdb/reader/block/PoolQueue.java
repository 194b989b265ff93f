package io.bsdb.reader.block;

import io.bsdb.format.io.Uninterrupted;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Reads with threads, each waiting for one read at a time. */
final class PoolQueue implements BlockQueue {
  private static final int MAX_THREADS = 64;
  private static final int WAITING_PER_DEPTH = 8;

  private final DiskBlocks blocks;
  private final ThreadPoolExecutor threads;
  private final Semaphore room;
  private final String description;

  PoolQueue(DiskBlocks blocks, String description) {
    this.blocks = blocks;
    this.description = description;
    int depth = blocks.depth();
    this.room = new Semaphore(WAITING_PER_DEPTH * depth);
    AtomicInteger named = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            Math.min(depth, MAX_THREADS),
            Math.min(depth, MAX_THREADS),
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> new ReadThread(task, "bsdb-read-" + named.incrementAndGet()),
            (task, executor) -> ((Task) task).fail());
    threads.allowCoreThreadTimeOut(true);
  }

  /** True once it runs, or never will. */
  private final class Task extends AtomicBoolean implements Runnable {
    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial") // it is never written
    private final BlockRequest request;

    Task(BlockRequest request) {
      this.request = request;
    }

    @Override
    public void run() {
      if (!compareAndSet(false, true)) {
        return;
      }
      try {
        request.completeFrom(blocks);
      } finally {
        makeRoom(request);
      }
    }

    void fail() {
      if (compareAndSet(false, true)) {
        makeRoom(request);
        request.failed(blocks.closedException());
      }
    }
  }

  @Override
  public void add(BlockRequest request) {
    if (!ReadThread.isCurrent()) {
      room.acquireUninterruptibly();
      request.holdsRoom = true;
    }
    Task task = null;
    try {
      task = new Task(request);
      threads.execute(task);
    } catch (RuntimeException | Error e) { // no memory for a thread, say; it may be queued even so
      if (task == null || task.compareAndSet(false, true)) {
        makeRoom(request);
        throw e;
      }
    }
  }

  private void makeRoom(BlockRequest request) {
    if (request.holdsRoom) {
      room.release();
    }
  }

  @Override
  public long inFlight() {
    return (long) threads.getActiveCount() + threads.getQueue().size();
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public void close() {
    threads.shutdown();
    for (Runnable waiting = threads.getQueue().poll();
        waiting != null;
        waiting = threads.getQueue().poll()) {
      ((Task) waiting).fail();
    }
    Uninterrupted.join(threads);
  }
}
