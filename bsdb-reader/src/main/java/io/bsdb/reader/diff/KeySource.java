package io.bsdb.reader.diff;

import com.dynatrace.hash4j.hashing.HashValue128;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keys to compare, in an order that is always the same for the same versions. */
interface KeySource extends Closeable {
  /** Which keys are wanted. */
  interface Filter {
    boolean test(byte[] key, HashValue128 hash);
  }

  /**
   * A key to compare.
   *
   * @param value of the version that the key is from, if it is known; else null
   * @param place in this source
   */
  @SuppressWarnings("ArrayRecordComponent") // handed on, never compared
  record Candidate(byte[] key, byte @Nullable [] value, Place place) {}

  /**
   * A place in a source.
   *
   * @param high number of a record, or first half of a hash
   * @param low second half of a hash
   */
  record Place(long high, long low) {}

  /** Begins after a place instead of at the start; before the first call of {@link #next}. */
  void skipThrough(Place place);

  /**
   * Returns some further keys; few or none if few are wanted.
   *
   * @return null if there are none left
   */
  @Nullable List<Candidate> next() throws IOException;

  @Override
  void close() throws IOException;
}
