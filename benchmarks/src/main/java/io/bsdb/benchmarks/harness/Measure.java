package io.bsdb.benchmarks.harness;

import io.bsdb.benchmarks.harness.Workload.Keys;
import java.util.ArrayList;
import java.util.List;

/**
 * One kind of lookup, in nanoseconds per key.
 *
 * @param label in reports
 * @param way {@code get}, {@code getAll}, {@code latency}, {@code floor}, {@code from} with a
 *     number of records, or {@code threads} with their number
 */
public record Measure(String label, String way, int number, Keys keys) {
  public static final String GET = "get";

  /** Keys of one {@code getAll}. */
  public static final int BATCH = 64;

  /** Times each {@code get} alone; the store keeps the histogram. */
  public static final Measure LATENCY = new Measure("latency", "latency", 0, Keys.UNIFORM);

  private static final Measure ONE = new Measure(GET, "get", 0, Keys.UNIFORM);
  private static final Measure MANY =
      new Measure("getAll(" + BATCH + ")", "getAll", 0, Keys.UNIFORM);
  private static final Measure ABSENT = new Measure("get, absent", "get", 0, Keys.ABSENT);

  /** The lookups of stores in key order. */
  public static final List<Measure> ORDERED =
      List.of(
          ONE,
          MANY,
          new Measure("floor", "floor", 1, Keys.ABSENT),
          new Measure("10 from a key", "from", 10, Keys.ABSENT),
          new Measure("100 from a key", "from", 100, Keys.ABSENT));

  /** The lookups of a table with changes. */
  public static final List<Measure> CHANGED =
      List.of(
          ONE,
          MANY,
          ABSENT,
          new Measure("get, changed", "get", 0, Keys.CHANGED),
          new Measure("get, present and not changed", "get", 0, Keys.UNCHANGED));

  /** Returns the lookups that are compared, in the order of measurement and of reports. */
  public static List<Measure> lookups() {
    List<Measure> all = new ArrayList<>(List.of(ONE, MANY));
    int maximum = Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
    for (int count = 2; count <= maximum; count *= 2) {
      all.add(new Measure(count + " threads", "threads", count, Keys.UNIFORM));
    }
    all.add(new Measure("get, Zipf", "get", 0, Keys.ZIPF));
    all.add(ABSENT);
    return all;
  }

  /** Returns what a store's process is asked for. */
  public String request(int round) {
    return "%s %d %s %d".formatted(way, number, keys, round);
  }

  public boolean needsOrder() {
    return way.equals("floor") || way.equals("from");
  }
}
