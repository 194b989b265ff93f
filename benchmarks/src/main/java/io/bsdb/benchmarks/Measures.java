package io.bsdb.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** What is measured of every peer in memory, in nanoseconds per key. */
final class Measures {
  static final String GET = "get";
  static final String GET_ALL = "getAll(64)";
  static final String ZIPF = "get, Zipf";
  static final String ABSENT = "get, absent";

  private Measures() {}

  /** Powers of two, up to twice as many as there are cores, and at least to four. */
  static List<Integer> threadCounts() {
    List<Integer> counts = new ArrayList<>();
    int most = Math.max(4, 2 * Runtime.getRuntime().availableProcessors());
    for (int count = 2; count <= most; count *= 2) {
      counts.add(count);
    }
    return counts;
  }

  static String threads(int count) {
    return GET + ", " + count + " threads";
  }

  /** All, in the order of reports. */
  static List<String> all() {
    List<String> all = new ArrayList<>(List.of(GET, GET_ALL, ZIPF, ABSENT));
    threadCounts().forEach(count -> all.add(threads(count)));
    return all;
  }
}
