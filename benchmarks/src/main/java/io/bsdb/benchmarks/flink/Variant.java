package io.bsdb.benchmarks.flink;

import java.util.Locale;

/** Lookup table that the events of the query are joined with. */
enum Variant {
  BSDB("bsdb, synchronous"),
  NONE("no lookup"),
  CONSTANT("a constant row"),
  HASHMAP("HashMap on the heap"),
  BSDB_REFRESHED("bsdb, with new versions"),
  BSDB_ASYNC("bsdb, asynchronous"),
  /** Past the page cache, and without Flink. */
  DISK_READER("the reader alone, io_uring"),
  /** Past the page cache, with as many lookups in flight as the reader alone. */
  DISK_BSDB("bsdb, asynchronous, io_uring");

  private final String label;

  Variant(String label) {
    this.label = label;
  }

  /** Returns its name in reports. */
  String label() {
    return label;
  }

  /** Returns its name on the command line. */
  String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  boolean waitsForDisk() {
    return this == DISK_READER || this == DISK_BSDB;
  }

  /** Returns whether every event gets the row of its key. */
  boolean answersRight() {
    return this != CONSTANT && this != NONE;
  }
}
