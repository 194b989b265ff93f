package io.bsdb.benchmarks.flink;

/** What the events of the query are joined with. */
enum Variant {
  NO_LOOKUP("no lookup"),
  CONSTANT("a constant row"),
  HASH_MAP("HashMap on the heap"),
  BSDB("bsdb, synchronous"),
  BSDB_REFRESHED("bsdb, with new versions"),
  BSDB_ASYNC("bsdb, asynchronous"),
  /** Past the page cache, and without Flink. */
  DISK_READER("the reader alone"),
  /** Past the page cache, as many at a time as the reader alone. */
  DISK_ASYNC("bsdb, asynchronous");

  private final String label;

  Variant(String label) {
    this.label = label;
  }

  /** Its name in reports. */
  String label() {
    return label;
  }

  boolean waitsForDisk() {
    return this == DISK_READER || this == DISK_ASYNC;
  }

  /** Whether every event gets the row of its key. */
  boolean answersRight() {
    return this != CONSTANT && this != NO_LOOKUP;
  }
}
