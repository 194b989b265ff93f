package io.bsdb.benchmarks;

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

/**
 * Measures open stores in turn: every round gives each of them the same slice of the queries. So
 * whatever disturbs the machine disturbs all alike.
 */
final class Rounds {
  /** Keys of one {@code getAll}. */
  static final int BATCH = 64;

  private static final int SLICES = 16;

  private final Map<String, Store> stores;
  private final int rounds;

  Rounds(Map<String, Store> stores, int rounds) {
    this.stores = stores;
    this.rounds = rounds;
  }

  /** Runs one slice of the queries. */
  private interface Body {
    void run(Store store, int from, int to) throws Exception;
  }

  /** The answers to a quarter of the queries in full, untimed. */
  void verify(Queries queries) throws IOException {
    List<List<byte[]>> batches = queries.batches(BATCH);
    for (Store store : stores.values()) {
      for (int i = 0; i < queries.size() / 4; i++) {
        queries.checkFully(i, store.get(queries.key(i)));
      }
      for (int i = 0; i < queries.size() / 8; i += BATCH) {
        List<byte[]> values = store.getAll(batches.get(i / BATCH));
        for (int j = 0; j < BATCH; j++) {
          queries.checkFully(i + j, values.get(j));
        }
      }
    }
  }

  Map<String, Series> gets(Queries queries) throws Exception {
    return measure(queries.size(), (store, from, to) -> get(store, queries, from, to));
  }

  private static void get(Store store, Queries queries, int from, int to) throws IOException {
    for (int i = from; i < to; i++) {
      queries.check(i, store.get(queries.key(i)));
    }
  }

  Map<String, Series> batches(Queries queries) throws Exception {
    List<List<byte[]>> batches = queries.batches(BATCH);
    return measure(
        queries.size(),
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
          queries.size(),
          (store, from, to) -> {
            List<Callable<Void>> tasks = new ArrayList<>();
            int share = (to - from) / threads;
            for (int thread = 0; thread < threads; thread++) {
              int start = from + thread * share;
              tasks.add(
                  () -> {
                    get(store, queries, start, start + share);
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

  private Map<String, Series> measure(int queries, Body body) throws Exception {
    List<Map.Entry<String, Store>> entries = List.copyOf(stores.entrySet());
    int count = entries.size();
    double[][] nanos = new double[count][rounds];
    int length = queries / SLICES;
    for (int round = -1; round < rounds; round++) {
      int from = Math.floorMod(round, SLICES) * length;
      for (int turn = 0; turn < count; turn++) {
        // Another order each time: nobody always comes after the one that cools the caches most.
        int which = Math.floorMod(turn * (round % 2 == 0 ? 1 : -1) + round, count);
        Store store = entries.get(which).getValue();
        long start = System.nanoTime();
        body.run(store, from, from + length);
        double elapsed = System.nanoTime() - start;
        if (round >= 0) {
          nanos[which][round] = elapsed / length;
        }
      }
    }
    Map<String, Series> series = new LinkedHashMap<>();
    for (int which = 0; which < count; which++) {
      series.put(entries.get(which).getKey(), Series.of(nanos[which]));
    }
    return series;
  }

  /** Quantiles of single gets, each timed alone; about 25 ns of it are the clock. */
  Map<String, Map<String, Double>> latencies(Queries queries) throws IOException {
    Map<String, Map<String, Double>> all = new LinkedHashMap<>();
    for (Map.Entry<String, Store> entry : stores.entrySet()) {
      long[] nanos = new long[queries.size() / SLICES];
      for (int i = 0; i < nanos.length; i++) {
        long start = System.nanoTime();
        byte[] value = entry.getValue().get(queries.key(i));
        nanos[i] = System.nanoTime() - start;
        queries.check(i, value);
      }
      java.util.Arrays.sort(nanos);
      Map<String, Double> quantiles = new LinkedHashMap<>();
      for (String quantile : List.of("0.5", "0.9", "0.99", "0.999")) {
        int index = (int) (nanos.length * Double.parseDouble(quantile));
        quantiles.put(quantile, (double) nanos[index]);
      }
      all.put(entry.getKey(), quantiles);
    }
    return all;
  }
}
