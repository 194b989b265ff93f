package io.bsdb.reader;

import io.bsdb.reader.io.PageBuffer;
import java.io.IOException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Reads with threads, each waiting for one read at a time. */
final class PooledReads implements BlockReads {
  private static final int MOST_THREADS = 64;
  private static final int WAITING_PER_DEPTH = 8;

  private final DiskRecords disk;
  private final PageBuffer.Pool buffers = new PageBuffer.Pool();
  private final ThreadPoolExecutor threads;
  private final Semaphore room;
  private final String description;
  private final ClosedReaderException closed;

  PooledReads(OpenSnapshot snapshot, String description) {
    this.disk = new DiskRecords(snapshot.counters());
    this.description = description;
    this.closed = snapshot.calls().closedException();
    int depth = snapshot.options().queueDepth();
    this.room = new Semaphore(WAITING_PER_DEPTH * depth);
    AtomicInteger named = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            Math.min(depth, MOST_THREADS),
            Math.min(depth, MOST_THREADS),
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> new ReadThread(this, task, "bsdb-read-" + named.incrementAndGet()),
            (task, executor) -> ((Task) task).fail());
    threads.allowCoreThreadTimeOut(true);
  }

  private final class Task implements Runnable {
    private final Request request;

    Task(Request request) {
      this.request = request;
    }

    @Override
    public void run() {
      try {
        read();
      } catch (IOException | RuntimeException | Error e) {
        request.failed(e);
      } finally {
        makeRoom(request);
      }
    }

    private void read() throws IOException {
      PageBuffer buffer = buffers.take();
      try {
        int base = disk.read(request.partition, request.block, buffer);
        request.completed(buffer.buffer(), base);
      } finally {
        buffers.give(buffer);
      }
    }

    void fail() {
      makeRoom(request);
      request.failed(closed);
    }
  }

  @Override
  public void read(Request request) {
    if (!isReadThread()) {
      room.acquireUninterruptibly();
      request.holdsRoom = true;
    }
    try {
      threads.execute(new Task(request));
    } catch (RuntimeException | Error e) { // no memory for a thread, say
      makeRoom(request);
      throw e;
    }
  }

  private void makeRoom(Request request) {
    if (request.holdsRoom) {
      room.release();
    }
  }

  @Override
  public boolean isReadThread() {
    return ReadThread.isOf(this);
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
    boolean interrupted = false;
    while (!threads.isTerminated()) {
      try {
        threads.awaitTermination(1, TimeUnit.MINUTES);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
