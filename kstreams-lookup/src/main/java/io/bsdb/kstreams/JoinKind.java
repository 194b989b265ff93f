package io.bsdb.kstreams;

/** Treatment of records for which the table has no value. */
enum JoinKind {
  /** It is dropped. */
  INNER,
  /** It is joined with null. */
  LEFT
}
