package io.bsdb.benchmarks;

import io.bsdb.benchmarks.harness.Measure;
import io.bsdb.benchmarks.harness.Workload;
import io.bsdb.benchmarks.harness.Workload.Keys;
import io.bsdb.benchmarks.harness.Workload.Queries;
import io.bsdb.benchmarks.peers.Store;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;

/**
 * Asks one store slices of the queries. Every way to ask returns the nanoseconds that it took.
 *
 * <p>Before it, the slice of the round before is asked, untimed: the stores whose turn it was have
 * left nothing in the processor's caches, and a turn is too short to forget that.
 */
final class StoreRun {
  private final Store store;
  private final Workload workload;
  private final int slices;
  private final int length;
  private final Map<Keys, Queries> queries = new EnumMap<>(Keys.class);
  private final Map<Integer, ExecutorService> pools = new HashMap<>();
  private final Histogram latencies = new Histogram(3);
  private final Histogram notCounted = new Histogram(3);
  private final LongSupplier clock;

  /**
   * @param rounds that there will be at most, the untimed ones excepted
   * @param length queries of a slice: a multiple of {@link Measure#BATCH}
   */
  StoreRun(Store store, Workload workload, int rounds, int length) {
    this(store, workload, rounds, length, System::nanoTime);
  }

  /**
   * @param clock in nanoseconds
   */
  StoreRun(Store store, Workload workload, int rounds, int length, LongSupplier clock) {
    this.clock = clock;
    this.store = store;
    this.workload = workload;
    this.slices = slices(rounds, length);
    this.length = length;
  }

  private static int slices(int rounds, int length) {
    return Math.min(rounds + 1, Workload.QUERIES / length);
  }

  /** Returns how many different queries so many rounds ask in each way. */
  static int queries(int rounds, int length) {
    return slices(rounds, length) * length;
  }

  private Queries queries(Keys keys) {
    return queries.computeIfAbsent(keys, which -> workload.queries(which, slices * length));
  }

  private int from(int round) {
    return Math.floorMod(round, slices) * length;
  }

  /**
   * Asks all that the rounds will ask, and checks the answers in full. After that the store has
   * touched every page, and checked every block, that it will need.
   */
  void prepare(Keys keys) throws IOException {
    Queries all = queries(keys);
    for (int i = 0; i < all.size(); i++) {
      all.checkFully(i, store.get(all.key(i)));
    }
  }

  /**
   * Asks {@link Measure#BATCH} queries. A method of its own, so that the number of its calls has it
   * compiled before the first round that counts, however short rounds are.
   */
  private interface Part {
    void ask(Queries all, int from) throws IOException;
  }

  private void ask(Queries all, int round, Part part) throws IOException {
    for (int from = from(round); from < from(round) + length; from += Measure.BATCH) {
      part.ask(all, from);
    }
  }

  private Queries leadIn(Keys keys, int round, Part part) throws IOException {
    Queries all = queries(keys);
    ask(all, round - 1, part);
    return all;
  }

  private long time(Keys keys, int round, Part part) throws IOException {
    Queries all = leadIn(keys, round, part);
    long start = clock.getAsLong();
    ask(all, round, part);
    return clock.getAsLong() - start;
  }

  long get(Keys keys, int round) throws IOException {
    return time(keys, round, this::get);
  }

  private void get(Queries all, int from) throws IOException {
    for (int i = from; i < from + Measure.BATCH; i++) {
      all.check(i, store.get(all.key(i)));
    }
  }

  long getAll(Keys keys, int round) throws IOException {
    return time(keys, round, this::getAll);
  }

  private void getAll(Queries all, int from) throws IOException {
    int i = from;
    for (byte[] value : store.getAll(all.keys(from, Measure.BATCH))) {
      all.check(i++, value);
    }
  }

  /** Measures single gets by several threads: the time that all need together. */
  long threads(Keys keys, int round, int threads) throws Exception {
    Queries all = leadIn(keys, round, this::get);
    List<Callable<Void>> tasks = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      int from = from(round) + length / Measure.BATCH * thread / threads * Measure.BATCH;
      int to = from(round) + length / Measure.BATCH * (thread + 1) / threads * Measure.BATCH;
      tasks.add(
          () -> {
            for (int i = from; i < to; i += Measure.BATCH) {
              get(all, i);
            }
            return null;
          });
    }
    ExecutorService pool = pools.computeIfAbsent(threads, StoreRun::pool);
    try {
      long start = clock.getAsLong();
      for (Future<Void> task : pool.invokeAll(tasks)) {
        task.get();
      }
      return clock.getAsLong() - start;
    } catch (ExecutionException e) {
      throw new IOException("a thread failed", e);
    }
  }

  /** Threads that stay from round to round: some stores open something for each. */
  private static ExecutorService pool(int threads) {
    return Executors.newFixedThreadPool(
        threads,
        task -> {
          Thread thread = new Thread(task, "bench-get");
          thread.setDaemon(true);
          return thread;
        });
  }

  /**
   * Measures single gets, each timed alone; some 25 ns of it are the clock. Those of untimed rounds
   * do not count.
   */
  long latencies(Keys keys, int round) throws IOException {
    Histogram histogram = round < 0 ? notCounted : latencies;
    Queries all = leadIn(keys, round, (some, from) -> latencies(some, from, notCounted));
    long start = clock.getAsLong();
    ask(all, round, (some, from) -> latencies(some, from, histogram));
    return clock.getAsLong() - start;
  }

  private void latencies(Queries all, int from, Histogram histogram) throws IOException {
    for (int i = from; i < from + Measure.BATCH; i++) {
      long start = clock.getAsLong();
      byte[] value = store.get(all.key(i));
      histogram.recordValue(clock.getAsLong() - start);
      all.check(i, value);
    }
  }

  /** Returns nanoseconds by name of the percentile, of all gets that were timed alone. */
  Map<String, Double> latencies() {
    Map<String, Double> nanos = new LinkedHashMap<>();
    for (String percentile : List.of("10", "50", "90", "99", "99.9", "99.99")) {
      double share = Double.parseDouble(percentile);
      nanos.put("p" + percentile, (double) latencies.getValueAtPercentile(share));
    }
    return nanos;
  }
}
