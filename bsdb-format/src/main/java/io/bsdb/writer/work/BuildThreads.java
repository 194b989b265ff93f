package io.bsdb.writer.work;

import io.bsdb.format.io.Thrown;
import io.bsdb.format.io.Uninterrupted;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that share the work of a build. */
public final class BuildThreads {
  private BuildThreads() {}

  /**
   * Runs {@code work} in some threads. Returns, also if it fails, when all of them have ended.
   *
   * @param stop has the others end when one has failed
   * @return what all of them returned
   * @throws IOException what the first of them threw
   */
  public static <T> List<T> run(int threads, Callable<List<T>> work, Runnable stop)
      throws IOException {
    AtomicInteger named = new AtomicInteger();
    ExecutorService executor =
        Executors.newFixedThreadPool(
            threads,
            task -> {
              Thread thread = new Thread(task, "bsdb-build-" + named.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    List<Future<List<T>>> workers = new ArrayList<>();
    try {
      for (int i = 0; i < threads; i++) {
        workers.add(executor.submit(work));
      }
      return results(workers, stop, executor);
    } finally {
      executor.shutdown();
      Uninterrupted.join(executor);
    }
  }

  private static <T> List<T> results(
      List<Future<List<T>>> workers, Runnable stop, ExecutorService executor) throws IOException {
    List<T> results = new ArrayList<>();
    Throwable failure = null;
    for (Future<List<T>> worker : workers) {
      try {
        results.addAll(worker.get());
      } catch (ExecutionException e) {
        stop.run();
        if (failure == null) {
          failure = e.getCause();
        } else {
          failure.addSuppressed(e.getCause());
        }
      } catch (InterruptedException e) {
        stop.run();
        executor.shutdownNow();
        Thread.currentThread().interrupt();
        failure = new InterruptedIOException("interrupted while building partitions");
        break;
      }
    }
    if (failure != null) {
      throw Thrown.asIs(failure);
    }
    return results;
  }
}
