package io.bsdb.benchmarks;

import io.bsdb.benchmarks.Workload.Keys;
import java.util.ArrayList;
import java.util.List;

/**
 * One kind of lookup, in nanoseconds per key.
 *
 * @param label in reports
 * @param way {@code get}, {@code getAll}, {@code latency} or a number of threads
 */
record Measure(String label, String way, Keys keys) {
  static final String GET = "get";

  /** Times each {@code get} alone; the store keeps the histogram. */
  static final Measure LATENCY = new Measure("latency", "latency", Keys.UNIFORM);

  /** Returns all that are compared, in the order of measurement and of reports. */
  static List<Measure> all() {
    List<Measure> all = new ArrayList<>();
    all.add(new Measure(GET, "get", Keys.UNIFORM));
    all.add(new Measure("getAll(" + StoreRun.BATCH + ")", "getAll", Keys.UNIFORM));
    int maximum = Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
    for (int count = 2; count <= maximum; count *= 2) {
      all.add(new Measure(count + " threads", Integer.toString(count), Keys.UNIFORM));
    }
    all.add(new Measure("get, Zipf", "get", Keys.ZIPF));
    all.add(new Measure("get, absent", "get", Keys.ABSENT));
    return all;
  }

  static List<String> labels() {
    return all().stream().map(Measure::label).toList();
  }
}
