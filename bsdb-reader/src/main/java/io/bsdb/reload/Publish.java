package io.bsdb.reload;

/** What a reload publishes. A table has the same rows afterwards in either case. */
public enum Publish {
  /** All rows, as new partition files. */
  ALL,
  /**
   * The rows that differ from those in service, as changes over its partition files. Refused if the
   * table was built with another schema, layout, order or key storage, has a history, or has other
   * properties than those that are given, if any are.
   */
  CHANGES,
  /**
   * The rows that differ, if they are at most a quarter of the rows in service and the table was
   * built alike; else all rows. Either way the table keeps its properties, unless others are given.
   */
  AUTO
}
