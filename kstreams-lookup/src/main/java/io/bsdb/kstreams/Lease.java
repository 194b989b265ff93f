package io.bsdb.kstreams;

import io.bsdb.row.KeyWriter;
import java.util.function.Consumer;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * One version of a table, held for several lookups that must see the same one. To be closed soon: a
 * version stays open as long as it is held. Used by one thread.
 *
 * <p>Ranges need a table in key order, and throw {@link IllegalStateException} for another one.
 * They are not counted in the metrics of tasks, and find nothing while the table has no version.
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

  /**
   * Iterates over the values of the keys between two, both included, in ascending order.
   *
   * @param from null: from the first key of the table
   * @param to null: up to the last key of the table
   * @throws IllegalArgumentException if no table can hold one of the keys
   */
  LookupIterator<V> range(@Nullable K from, @Nullable K to);

  /** Iterates as {@link #range} does, in descending order. */
  LookupIterator<V> reverseRange(@Nullable K from, @Nullable K to);

  /**
   * Iterates over the values of the keys whose leading columns have given values, in ascending
   * order: {@code prefixScan(key -> key.writeString(customer))}. A text or bytes in the last column
   * of the primary key is what that column begins with.
   *
   * @param leadingColumns writes one or more columns of the primary key, from the first one on
   * @throws IllegalStateException if the table has no schema
   */
  LookupIterator<V> prefixScan(Consumer<? super KeyWriter> leadingColumns);

  /**
   * Iterates over the values of the keys whose bytes begin with what a serializer writes, in
   * ascending order.
   *
   * @throws IllegalArgumentException if the table has a schema, and its primary key is not one
   *     column that this serializer of Kafka writes
   */
  <P> LookupIterator<V> prefixScan(P prefix, Serializer<? super P> serializer);

  /** Returns the version; null while the table has none. */
  @Nullable String version();

  /** Releases the version. Idempotent. */
  @Override
  void close();
}
