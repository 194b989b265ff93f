package io.bsdb.benchmarks;

import io.bsdb.benchmarks.Results.Latency;
import io.bsdb.benchmarks.Results.Series;
import io.bsdb.benchmarks.Workload.Queries;
import io.bsdb.benchmarks.peers.Store;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.HdrHistogram.Histogram;

/**
 * Measures open stores in turn: every round gives each of them the same slice of the queries. So
 * whatever disturbs the machine disturbs all alike.
 */
final class Rounds {
  /** Keys of one {@code getAll}. */
  static final int BATCH = 64;

  private final List<Map.Entry<String, Store>> stores;
  private final int rounds;
  private final int length;

  /**
   * @param length queries of one round: a divisor of {@link Workload#QUERIES} and a multiple of
   *     {@link #BATCH}
   */
  Rounds(Map<String, Store> stores, int rounds, int length) {
    this.stores = List.copyOf(stores.entrySet());
    this.rounds = rounds;
    this.length = length;
  }

  /** Runs one slice of the queries. */
  private interface Body {
    void run(Store store, int from, int to) throws Exception;
  }

  /** Takes what one turn took. */
  private interface Turn {
    void run(int which, int round, int from) throws Exception;
  }

  private int from(int round) {
    return Math.floorMod(round, Workload.QUERIES / length) * length;
  }

  /** Gives every store its turn in each round, in an order that changes. */
  private void turns(int firstRound, Turn turn) throws Exception {
    int count = stores.size();
    for (int round = firstRound; round < rounds; round++) {
      for (int i = 0; i < count; i++) {
        // Another order each time: nobody always comes after the one that cools the caches most.
        int which = Math.floorMod(i * (round % 2 == 0 ? 1 : -1) + round, count);
        turn.run(which, round, from(round));
      }
    }
  }

  /**
   * Asks every store, untimed, all that the rounds will ask, and checks the answers in full. After
   * that each store has touched every page, and checked every block, that it will need.
   */
  void prepare(Queries queries) throws Exception {
    turns(
        -1,
        (which, round, from) -> {
          Store store = stores.get(which).getValue();
          for (int i = from; i < from + length; i++) {
            queries.checkFully(i, store.get(queries.key(i)));
          }
        });
  }

  Map<String, Series> gets(Queries queries) throws Exception {
    return measure((store, from, to) -> get(store, queries, from, to));
  }

  private static void get(Store store, Queries queries, int from, int to) throws IOException {
    for (int i = from; i < to; i++) {
      queries.check(i, store.get(queries.key(i)));
    }
  }

  Map<String, Series> batches(Queries queries) throws Exception {
    List<List<byte[]>> batches = queries.batches(BATCH);
    return measure(
        (store, from, to) -> {
          for (int i = from; i < to; i += BATCH) {
            List<byte[]> values = store.getAll(batches.get(i / BATCH));
            for (int j = 0; j < BATCH; j++) {
              queries.check(i + j, values.get(j));
            }
          }
        });
  }

  /** Single gets by several threads: the time per key of all together. */
  Map<String, Series> threads(Queries queries, int threads) throws Exception {
    ExecutorService pool =
        Executors.newFixedThreadPool(threads, task -> new Thread(task, "bench-get"));
    try {
      return measure(
          (store, from, to) -> {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
              int start = from + (int) ((long) (to - from) * thread / threads);
              int end = from + (int) ((long) (to - from) * (thread + 1) / threads);
              tasks.add(
                  () -> {
                    get(store, queries, start, end);
                    return null;
                  });
            }
            for (Future<Void> task : pool.invokeAll(tasks)) {
              finish(task);
            }
          });
    } finally {
      pool.shutdown();
    }
  }

  private static void finish(Future<Void> task) throws Exception {
    try {
      task.get();
    } catch (ExecutionException e) {
      throw new IOException("a thread failed", e);
    }
  }

  private Map<String, Series> measure(Body body) throws Exception {
    double[][] nanos = new double[stores.size()][rounds];
    turns(
        -2,
        (which, round, from) -> {
          Store store = stores.get(which).getValue();
          long start = System.nanoTime();
          body.run(store, from, from + length);
          double elapsed = System.nanoTime() - start;
          if (round >= 0) {
            nanos[which][round] = elapsed / length;
          }
        });
    Map<String, Series> series = new LinkedHashMap<>();
    for (int which = 0; which < nanos.length; which++) {
      series.put(stores.get(which).getKey(), Series.of(nanos[which]));
    }
    return series;
  }

  /** Single gets, each timed alone; some 25 ns of it are the clock. */
  Map<String, List<Latency>> latencies(Queries queries) throws Exception {
    List<Histogram> histograms = new ArrayList<>();
    stores.forEach(store -> histograms.add(new Histogram(3)));
    turns(
        0,
        (which, round, from) -> {
          Store store = stores.get(which).getValue();
          Histogram histogram = histograms.get(which);
          for (int i = from; i < from + length; i++) {
            long start = System.nanoTime();
            byte[] value = store.get(queries.key(i));
            histogram.recordValue(System.nanoTime() - start);
            queries.check(i, value);
          }
        });
    Map<String, List<Latency>> latencies = new LinkedHashMap<>();
    for (int which = 0; which < histograms.size(); which++) {
      latencies.put(stores.get(which).getKey(), Latency.of(histograms.get(which)));
    }
    return latencies;
  }
}
