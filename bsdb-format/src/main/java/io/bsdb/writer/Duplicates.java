package io.bsdb.writer;

/** What a build does with a key that comes more than once. */
public enum Duplicates {
  /** The build fails with a {@link DuplicateKeyException}. */
  FAIL,
  /** The first record in input order is kept. */
  FIRST,
  /** The last record in input order is kept. */
  LAST
}
