package io.bsdb.kstreams;

/** What becomes of a record for which the table has no value. */
enum JoinKind {
  /** It is dropped. */
  INNER,
  /** It is joined with null. */
  LEFT
}
