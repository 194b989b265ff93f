package io.bsdb.format.hash;

import java.io.InterruptedIOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs numbered tasks on the calling thread and on those of an executor. The caller always works
 * too and waits only for helpers that have begun, so an executor without a free thread delays
 * nothing, and a build may run inside the executor that it uses.
 */
record Workers(Executor executor, int parallelism) {

  /**
   * Runs tasks {@code 0..count-1}, begun in this order. Each thread makes itself one worker, which
   * may hold scratch memory. After a task threw, no further ones begin, and what it threw is thrown
   * when the others ended.
   *
   * @throws InterruptedIOException if the caller is interrupted, which stays marked; tasks that
   *     have begun are waited for
   */
  void run(int count, Supplier<IntConsumer> newWorker) throws InterruptedIOException {
    Run run = new Run(count, newWorker);
    for (int i = 1; i < Math.min(parallelism, count); i++) {
      try {
        executor.execute(run::help);
      } catch (RejectedExecutionException e) {
        break; // no thread is free: the result is the same with fewer
      }
    }
    run.work();
    boolean interrupted = run.awaitHelpers();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (run.failure instanceof RuntimeException e) {
      throw e;
    }
    if (run.failure instanceof Error e) {
      throw e;
    }
    if (run.next.get() < count || interrupted) {
      throw new InterruptedIOException("interrupted while building a perfect hash");
    }
  }

  private static final class Run {
    private final int count;
    private final Supplier<IntConsumer> newWorker;
    private final Thread caller = Thread.currentThread();
    private final AtomicInteger next = new AtomicInteger();
    private volatile @Nullable Throwable failure;
    private int helping;
    private boolean ended;

    Run(int count, Supplier<IntConsumer> newWorker) {
      this.count = count;
      this.newWorker = newWorker;
    }

    void help() {
      synchronized (this) {
        if (ended) {
          return;
        }
        helping++;
      }
      work();
      synchronized (this) {
        helping--;
        notifyAll();
      }
    }

    void work() {
      try {
        IntConsumer worker = newWorker.get();
        while (failure == null && !caller.isInterrupted()) {
          int task = next.getAndIncrement();
          if (task >= count) {
            return;
          }
          worker.accept(task);
        }
      } catch (RuntimeException | Error e) {
        failure = e;
      }
    }

    /** Returns whether the calling thread was interrupted meanwhile. */
    synchronized boolean awaitHelpers() {
      ended = true;
      boolean interrupted = false;
      while (helping > 0) {
        try {
          wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return interrupted;
    }
  }
}
