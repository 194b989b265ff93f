package io.bsdb.benchmarks.harness;

import io.bsdb.benchmarks.harness.Workload.Keys;
import java.util.ArrayList;
import java.util.List;

/**
 * One kind of lookup, in nanoseconds per key.
 *
 * @param label in reports
 * @param way {@code get}, {@code getAll}, {@code latency} or a number of threads
 */
public record Measure(String label, String way, Keys keys) {
  public static final String GET = "get";

  /** Keys of one {@code getAll}. */
  public static final int BATCH = 64;

  /** Times each {@code get} alone; the store keeps the histogram. */
  public static final Measure LATENCY = new Measure("latency", "latency", Keys.UNIFORM);

  /** Returns all that are compared, in the order of measurement and of reports. */
  public static List<Measure> all() {
    List<Measure> all = new ArrayList<>();
    all.add(new Measure(GET, "get", Keys.UNIFORM));
    all.add(new Measure("getAll(" + BATCH + ")", "getAll", Keys.UNIFORM));
    int maximum = Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
    for (int count = 2; count <= maximum; count *= 2) {
      all.add(new Measure(count + " threads", Integer.toString(count), Keys.UNIFORM));
    }
    all.add(new Measure("get, Zipf", "get", Keys.ZIPF));
    all.add(new Measure("get, absent", "get", Keys.ABSENT));
    return all;
  }

  public static List<String> labels() {
    return all().stream().map(Measure::label).toList();
  }
}
