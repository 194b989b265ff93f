package io.bsdb.writer.options;

import io.bsdb.writer.DuplicateKeyException;

/**
 * Treatment of a key that comes more than once. All records of one key, also those not kept, are
 * loaded with one partition, however many partitions there are: a key that comes millions of times
 * should be reduced to one record before the build.
 */
public enum Duplicates {
  /** The build fails with a {@link DuplicateKeyException}. */
  FAIL,
  /** The first record in input order is kept. */
  FIRST,
  /** The last record in input order is kept. */
  LAST
}
