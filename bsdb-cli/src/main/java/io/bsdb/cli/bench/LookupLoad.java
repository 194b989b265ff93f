package io.bsdb.cli.bench;

import io.bsdb.format.io.Thrown;
import io.bsdb.reader.SnapshotReader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Looks keys up in several threads and counts and times it. */
final class LookupLoad {
  /** Keys between two looks at the clock. */
  private static final int STEP = 256;

  /** One call of so many is timed: the clock takes longer than some lookups. */
  private static final int CALLS_PER_TIMED = 16;

  private final SnapshotReader reader;
  private final LookupKeys keys;
  private final int threads;
  private final int batch;
  private final int inFlight;
  private final int turn;
  private final Semaphore room;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

  /**
   * Creates a load.
   *
   * @param batch keys per call
   * @param inFlight futures of all threads together; 0: each call is waited for
   */
  LookupLoad(SnapshotReader reader, LookupKeys keys, int threads, int batch, int inFlight) {
    this.reader = reader;
    this.keys = keys;
    this.threads = threads;
    this.batch = batch;
    this.inFlight = inFlight;
    // Permits are taken for several futures at a time: a wake-up for each costs more than a read.
    this.turn = Math.max(1, inFlight / threads / 4);
    this.room = new Semaphore(inFlight);
  }

  /**
   * Figures of a measurement.
   *
   * @param lookups number of keys
   * @param perSecond lookups of all threads together
   * @param latencies of calls, in nanoseconds
   */
  record Outcome(long lookups, double perSecond, Histogram latencies) {}

  /**
   * Looks each key up once, in this thread, and compares the bytes of each value.
   *
   * @param seconds after which it ends
   */
  void check(double seconds) throws IOException {
    long start = System.nanoTime();
    for (int i = 0; i < keys.size() && System.nanoTime() - start < seconds * 1e9; i += STEP) {
      look(i, Math.min(STEP, keys.size() - i), null);
    }
    finish();
  }

  /**
   * Looks keys up repeatedly, each thread from a different first key, until time is up or an answer
   * is wrong.
   */
  Outcome run(double seconds) throws IOException {
    AtomicLong done = new AtomicLong();
    Histogram latencies = new ConcurrentHistogram(3);
    ExecutorService pool = Executors.newFixedThreadPool(threads, r -> new Thread(r, "bsdb-bench"));
    long start = System.nanoTime();
    try {
      List<Future<?>> all = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        int first = (int) ((long) keys.size() * thread / threads);
        all.add(
            pool.submit(
                () -> {
                  int position = first;
                  do {
                    look(position, STEP, latencies);
                    position = (position + STEP) % keys.size();
                    done.addAndGet(STEP);
                  } while (System.nanoTime() - start < seconds * 1e9 && failure.get() == null);
                  return null;
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } catch (ExecutionException e) {
      throw rethrown(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while measuring");
    } finally {
      pool.shutdownNow();
    }
    finish();
    return new Outcome(done.get(), done.get() * 1e9 / (System.nanoTime() - start), latencies);
  }

  /**
   * Looks keys up.
   *
   * @param latencies null to compare the bytes of values instead of taking times
   */
  private void look(int from, int count, @Nullable Histogram latencies) throws IOException {
    boolean bytes = latencies == null;
    int call = 0;
    for (int i = from; i < from + count; i += batch, call++) {
      Histogram timed = call % CALLS_PER_TIMED == 0 ? latencies : null;
      long start = timed == null ? 0 : System.nanoTime();
      if (inFlight > 0) {
        if (call % turn == 0) {
          room.acquireUninterruptibly(Math.min(turn, from + count - i));
        }
        lookLater(i, bytes, start, timed);
      } else if (batch == 1) {
        byte[] value = reader.get(keys.key(i));
        time(start, timed);
        keys.check(i, value, bytes);
      } else {
        List<byte[]> values = reader.getAll(keys.keys(i, Math.min(batch, from + count - i)));
        time(start, timed);
        for (int j = 0; j < values.size(); j++) {
          keys.check(i + j, values.get(j), bytes);
        }
      }
    }
  }

  private void lookLater(int position, boolean bytes, long start, @Nullable Histogram timed) {
    var unused =
        reader
            .async() // closed with its sibling
            .get(keys.key(position))
            .whenComplete((value, problem) -> time(start, timed))
            .thenAccept(value -> keys.check(position, value, bytes))
            .whenComplete(
                (none, problem) -> {
                  if (problem != null) {
                    failure.compareAndSet(null, problem);
                  }
                  room.release();
                });
  }

  private static void time(long start, @Nullable Histogram timed) {
    if (timed != null) {
      timed.recordValue(System.nanoTime() - start);
    }
  }

  /** Waits for the futures in flight. */
  private void finish() throws IOException {
    room.acquireUninterruptibly(inFlight);
    room.release(inFlight);
    Throwable first = failure.get();
    if (first != null) {
      throw rethrown(first);
    }
  }

  static IOException rethrown(Throwable thrown) {
    Throwable cause = thrown;
    while (cause.getCause() != null
        && (cause instanceof ExecutionException || cause instanceof CompletionException)) {
      cause = cause.getCause();
    }
    return Thrown.asIs(cause);
  }
}
