package io.bsdb.kstreams;

import org.jspecify.annotations.Nullable;

/**
 * One version of a table, held for several lookups that must see the same one. To be closed soon: a
 * version stays open as long as it is held. Used by one thread.
 *
 * @param <K> the table's keys
 * @param <V> the table's values
 */
public interface Lease<K, V> extends AutoCloseable {
  /**
   * Looks up one key.
   *
   * @return null if the key is absent
   * @throws NullPointerException if the key is null
   * @throws java.io.UncheckedIOException if the read fails
   */
  @Nullable V get(K key);

  /** Returns the version; null while the table has none. */
  @Nullable String version();

  /** Lets the version go. Idempotent. */
  @Override
  void close();
}
