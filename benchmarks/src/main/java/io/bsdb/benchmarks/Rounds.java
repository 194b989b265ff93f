package io.bsdb.benchmarks;

import io.bsdb.benchmarks.Results.Series;
import io.bsdb.benchmarks.StoreRun.Asked;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures stores in turn: every round gives each of them the same slice of the queries. So
 * whatever disturbs the machine disturbs all alike.
 */
record Rounds(List<StoreProcess> stores, int rounds) {
  private static final int UNTIMED = 2;

  /** Asks every store all that the rounds will ask, untimed. */
  void prepare(Asked asked) throws IOException {
    for (StoreProcess store : stores) {
      store.prepare(asked);
    }
  }

  /**
   * Nanoseconds per key of each store.
   *
   * @param way {@code get}, {@code getAll}, {@code latency} or a number of threads
   */
  Map<String, Series> measure(String way, Asked asked) throws IOException {
    int count = stores.size();
    double[][] nanos = new double[count][rounds];
    for (int round = -UNTIMED; round < rounds; round++) {
      for (int i = 0; i < count; i++) {
        // Another order each time: nobody always comes after the one that cools the caches most.
        int which = Math.floorMod(i * (round % 2 == 0 ? 1 : -1) + round, count);
        double perKey = stores.get(which).measure(way, asked, round);
        if (round >= 0) {
          nanos[which][round] = perKey;
        }
      }
    }
    Map<String, Series> series = new LinkedHashMap<>();
    for (int which = 0; which < count; which++) {
      series.put(stores.get(which).name(), Series.of(nanos[which]));
    }
    return series;
  }
}
