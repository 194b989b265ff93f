package io.bsdb.cli;

import io.bsdb.reader.SnapshotReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Looks keys up in several threads and measures it, in short rounds of which the median counts.
 * Each thread begins at another key, and every round continues where the one before ended: what was
 * just looked up is in caches.
 */
final class LookupLoad {
  /** Keys between two looks at the clock. */
  private static final int STEP = 256;

  private static final int ROUNDS = 5;

  private final SnapshotReader reader;
  private final LookupKeys keys;
  private final int batch;
  private final int inFlight;
  private final int turn;
  private final Semaphore room;
  private final int[] positions;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private int checked;

  /**
   * Creates a load.
   *
   * @param batch keys per call
   * @param inFlight futures of all threads together; 0: each call is waited for
   */
  LookupLoad(SnapshotReader reader, LookupKeys keys, int threads, int batch, int inFlight) {
    this.reader = reader;
    this.keys = keys;
    this.batch = batch;
    this.inFlight = inFlight;
    // Futures are asked for so many at a time: to be woken for each costs more than to read it.
    this.turn = Math.max(1, inFlight / threads / 4);
    this.room = new Semaphore(inFlight);
    this.positions = new int[threads];
  }

  /**
   * What was measured.
   *
   * @param perSecond lookups of all threads together, the median of the rounds
   * @param bestPerSecond the best of the rounds
   * @param lookups how many there were in all
   * @param latencies in nanoseconds, of calls that were timed one by one
   */
  record Outcome(double perSecond, double bestPerSecond, long lookups, Histogram latencies) {}

  /** What one round did. */
  private record Round(long lookups, double perSecond) {}

  /**
   * Looks each key up once, in this thread, and checks all that is known of its answer. To be
   * called at most once, and before {@link #run}, which then begins with other keys.
   *
   * @param seconds after which it ends
   * @return nanoseconds per key
   */
  double check(double seconds) throws IOException {
    long start = System.nanoTime();
    do {
      int count = Math.min(STEP, keys.size() - checked);
      ask(checked, count, null, true);
      checked += count;
    } while (checked < keys.size() && System.nanoTime() - start < seconds * 1e9);
    finish();
    return (double) (System.nanoTime() - start) / checked;
  }

  /**
   * Alternates rounds that count lookups and rounds that time each of them, after one of each that
   * does not count: what was done before has left its own in the processor's caches, and code that
   * has not run yet is not compiled. Of each answer a sample is checked.
   */
  Outcome run(double seconds) throws IOException {
    long nanos = (long) (seconds * TimeUnit.SECONDS.toNanos(1) / (2 * ROUNDS));
    for (int thread = 0; thread < positions.length; thread++) {
      long first = checked + (long) keys.size() * thread / positions.length;
      positions[thread] = (int) (first % keys.size());
    }
    round(nanos, null);
    round(nanos, new ConcurrentHistogram(3));
    Histogram latencies = new ConcurrentHistogram(3);
    double[] rates = new double[ROUNDS];
    long count = 0;
    for (int i = 0; i < ROUNDS; i++) {
      Round counted = round(nanos, null);
      rates[i] = counted.perSecond();
      count += counted.lookups() + round(nanos, latencies).lookups();
    }
    Arrays.sort(rates);
    return new Outcome(rates[ROUNDS / 2], rates[ROUNDS - 1], count, latencies);
  }

  private Round round(long nanos, @Nullable Histogram latencies) throws IOException {
    AtomicLong done = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    long start = System.nanoTime();
    for (int i = 0; i < positions.length; i++) {
      int thread = i;
      threads.add(
          new Thread(
              () -> {
                try {
                  do {
                    ask(positions[thread], STEP, latencies, false);
                    positions[thread] = (positions[thread] + STEP) % keys.size();
                    done.addAndGet(STEP);
                  } while (System.nanoTime() < start + nanos);
                } catch (Throwable e) { // for the thread that waits
                  failure.compareAndSet(null, e);
                }
              },
              "bsdb-bench"));
    }
    threads.forEach(Thread::start);
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while measuring", e);
    }
    finish();
    return new Round(done.get(), done.get() * 1e9 / (System.nanoTime() - start));
  }

  /** Looks keys up; calls are timed if there is a histogram. */
  private void ask(int from, int count, @Nullable Histogram latencies, boolean full)
      throws IOException {
    for (int i = from; i < from + count; i += batch) {
      if (inFlight > 0) {
        if ((i - from) % turn == 0) {
          room.acquireUninterruptibly(Math.min(turn, from + count - i));
        }
        askForFuture(i, latencies, full);
        continue;
      }
      long start = latencies == null ? 0 : System.nanoTime();
      if (batch == 1) {
        byte[] value = reader.get(keys.key(i));
        time(start, latencies);
        keys.check(i, value, full);
      } else {
        List<byte[]> values = reader.getAll(keys.keys(i, Math.min(batch, from + count - i)));
        time(start, latencies);
        for (int j = 0; j < values.size(); j++) {
          keys.check(i + j, values.get(j), full);
        }
      }
    }
  }

  private void askForFuture(int position, @Nullable Histogram latencies, boolean full) {
    long start = latencies == null ? 0 : System.nanoTime();
    var unused =
        reader
            .async() // closed with its sibling
            .get(keys.key(position))
            .whenComplete((value, problem) -> time(start, latencies))
            .thenAccept(value -> keys.check(position, value, full))
            .whenComplete(
                (none, problem) -> {
                  if (problem != null) {
                    failure.compareAndSet(null, problem);
                  }
                  room.release();
                });
  }

  private static void time(long start, @Nullable Histogram latencies) {
    if (latencies != null) {
      latencies.recordValue(System.nanoTime() - start);
    }
  }

  /** Waits for futures in flight, unless a thread failed: then some were never asked for. */
  private void finish() throws IOException {
    throwFailure();
    room.acquireUninterruptibly(inFlight);
    room.release(inFlight);
    throwFailure();
  }

  private void throwFailure() throws IOException {
    Throwable first = failure.get();
    if (first instanceof CompletionException wrapped && wrapped.getCause() != null) {
      first = wrapped.getCause();
    }
    if (first instanceof IOException problem) {
      throw problem;
    }
    if (first instanceof RuntimeException problem) {
      throw problem;
    }
    if (first instanceof Error problem) {
      throw problem;
    }
  }
}
