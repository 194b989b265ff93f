package io.bsdb.kstreams;

import java.util.Iterator;

/**
 * Values of a range of keys, in one version of the table. Closed by its user, or with the {@link
 * Lease} that it comes from. Used by one thread.
 *
 * <p>{@link #hasNext} and {@link #next} throw {@link java.io.UncheckedIOException} if a read fails,
 * and {@link IllegalStateException} once this is closed.
 *
 * @param <V> the table's values
 */
public interface LookupIterator<V> extends Iterator<V>, AutoCloseable {
  /**
   * Returns the key of the value that {@link #next} returned last, as the table stores it: the
   * bytes that a serde wrote.
   *
   * @throws IllegalStateException if there is no such value
   */
  byte[] key();

  /** Ends the iteration. Idempotent. */
  @Override
  void close();
}
