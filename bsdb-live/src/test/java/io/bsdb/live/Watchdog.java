package io.bsdb.live;

import io.bsdb.testkit.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs tasks, and fails with the stacks of all threads if they hang. */
final class Watchdog implements AutoCloseable {
  private static final long AWAIT_SECONDS = 60;

  private final long seconds;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "pool");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * @param seconds that a task may take
   */
  Watchdog(long seconds) {
    this.seconds = seconds;
  }

  /** Runs tasks at the same time. */
  void run(List<Callable<Void>> tasks) throws Exception {
    List<Future<Void>> running = new ArrayList<>();
    for (Callable<Void> task : tasks) {
      running.add(threads.submit(task));
    }
    for (Future<Void> each : running) {
      try {
        each.get(seconds, TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        throw new AssertionError("hangs:" + stacks(), e);
      }
    }
  }

  /** Waits for something that a thread in the background is about to do. */
  static void await(Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(AWAIT_SECONDS);
    Await.until(
        () -> {
          boolean holds = condition.call();
          if (!holds && System.nanoTime() - deadline > 0) {
            throw new AssertionError("does not happen:" + stacks());
          }
          return holds;
        });
  }

  private static StringBuilder stacks() {
    StringBuilder stacks = new StringBuilder();
    Thread.getAllStackTraces()
        .forEach(
            (thread, stack) -> {
              if (thread.getName().startsWith("bsdb") || thread.getName().startsWith("pool")) {
                stacks.append('\n').append(thread.getName());
                for (StackTraceElement element : stack) {
                  stacks.append("\n  at ").append(element);
                }
              }
            });
    return stacks;
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
