package io.bsdb.flink.lookup;

import java.io.Closeable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;
import org.apache.flink.table.data.RowData;

/**
 * Holds lookups back until the version in use is complete up to the times they ask for, or they
 * have waited too long. While there are any, a thread looks every 10 milliseconds which of them can
 * be answered, and begins them; nobody waits for that thread. Safe for many threads.
 */
final class SourceTimeWait implements Closeable {
  private static final long INTERVAL_MILLIS = 10;

  private final long maxNanos;
  private final Lookups lookups;
  private final List<Waiting> waiting = new ArrayList<>();
  private final Counter waits = new ThreadSafeSimpleCounter();
  private final Counter timeouts = new ThreadSafeSimpleCounter();
  private final ScheduledThreadPoolExecutor executor;

  /** What waits. */
  interface Lookups {
    /** Returns the time up to which the version in use is complete, in milliseconds. */
    long sourceTime();

    /** Answers a lookup that has waited. Throws nothing. */
    void resume(RowData compared, LookupFuture future);

    /** Makes a lookup fail that has waited. Throws nothing. */
    void fail(LookupFuture future, Throwable cause);
  }

  /**
   * A lookup that waits.
   *
   * @param needed the time up to which a version must be complete, in milliseconds
   * @param deadline by {@link System#nanoTime}
   */
  private record Waiting(RowData compared, LookupFuture future, long needed, long deadline) {}

  /**
   * Registers its metrics.
   *
   * @param table is named in the thread's name
   * @param maximum time that a lookup waits
   */
  SourceTimeWait(String table, Duration maximum, MetricGroup metrics, Lookups lookups) {
    this.maxNanos = maximum.toNanos();
    this.lookups = lookups;
    metrics.counter("sourceTimeWaits", waits);
    metrics.counter("sourceTimeTimeouts", timeouts);
    metrics.gauge("lookupsWaiting", this::size);
    executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "bsdb-wait-" + table);
              thread.setDaemon(true);
              return thread;
            });
  }

  private synchronized int size() {
    return waiting.size();
  }

  /** Adds a lookup, to be answered once the version in use is complete up to a time. */
  synchronized void add(RowData compared, LookupFuture future, long needed) {
    waits.inc();
    waiting.add(new Waiting(compared, future, needed, System.nanoTime() + maxNanos));
    if (waiting.size() == 1) {
      lookAgain();
    }
  }

  private void lookAgain() {
    var unused = executor.schedule(this::look, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void look() {
    try {
      removeDue(lookups.sourceTime())
          .forEach(lookup -> lookups.resume(lookup.compared, lookup.future));
    } catch (Throwable e) { // such as no memory for another version
      failAll(e);
    }
  }

  private void failAll(Throwable cause) {
    List<Waiting> all;
    synchronized (this) {
      all = List.copyOf(waiting);
      waiting.clear();
    }
    all.forEach(lookup -> lookups.fail(lookup.future, cause));
  }

  private synchronized List<Waiting> removeDue(long sourceTime) {
    long now = System.nanoTime();
    List<Waiting> due = new ArrayList<>();
    waiting.removeIf( // one by one, each would move all after it
        lookup -> {
          boolean isComplete = lookup.needed <= sourceTime;
          boolean isDue = isComplete || now - lookup.deadline >= 0;
          if (isDue) {
            due.add(lookup);
          }
          if (isDue && !isComplete) {
            timeouts.inc();
          }
          return isDue;
        });
    if (!waiting.isEmpty()) {
      lookAgain();
    }
    return due;
  }

  /**
   * Forgets the lookups that wait: in a savepoint their rows are stored, and a future that failed
   * would fail the job that stops with it. Nothing is added afterwards.
   */
  @Override
  public synchronized void close() {
    executor.shutdownNow();
    waiting.clear();
  }
}
