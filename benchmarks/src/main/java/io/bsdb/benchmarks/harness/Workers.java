package io.bsdb.benchmarks.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that work beside each other, and stay for more work. */
public final class Workers {
  private final int threads;
  private final ExecutorService pool;

  /** What one thread does. */
  public interface Work<T> {
    /**
     * Returns a result.
     *
     * @param thread its number, from 0
     */
    T run(int thread) throws Exception;
  }

  public Workers(int threads) {
    this.threads = threads;
    this.pool = Executors.newFixedThreadPool(threads, Workers::daemon);
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "bench-worker");
    thread.setDaemon(true);
    return thread;
  }

  /** Makes every thread work once, and returns their results in order. */
  public <T> List<T> run(Work<T> work) throws Exception {
    List<Callable<T>> tasks = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int thread = i;
      tasks.add(() -> work.run(thread));
    }
    List<T> results = new ArrayList<>();
    for (Future<T> each : pool.invokeAll(tasks)) {
      results.add(each.get());
    }
    return results;
  }

  /** Makes so many new threads work once. */
  public static <T> List<T> run(int threads, Work<T> work) throws Exception {
    Workers workers = new Workers(threads);
    try {
      return workers.run(work);
    } finally {
      workers.pool.shutdownNow();
    }
  }
}
