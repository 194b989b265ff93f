package io.bsdb.benchmarks;

import java.util.List;

/** What is measured of every peer in memory, in nanoseconds per key. */
final class Measures {
  static final String GET = "get";
  static final String GET_ALL = "getAll(64)";
  static final String TWO_THREADS = "get, 2 threads";
  static final String ZIPF = "get, Zipf";
  static final String ABSENT = "get, absent";

  static final List<String> ALL = List.of(GET, GET_ALL, TWO_THREADS, ZIPF, ABSENT);

  private Measures() {}
}
