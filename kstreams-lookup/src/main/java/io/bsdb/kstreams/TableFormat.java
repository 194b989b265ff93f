package io.bsdb.kstreams;

import io.bsdb.format.Manifest;
import org.jspecify.annotations.Nullable;

/** How a table's keys and values are written. Safe for many threads. */
interface TableFormat<K, V> {
  /** The format of one version, whose schema may differ from another's. */
  Codec<K, V> of(Manifest manifest);

  /** The format of one version. Used by one thread at a time. */
  interface Codec<K, V> {
    byte[] encode(K key);

    /** The value; null if it stands for absence. */
    @Nullable V decode(byte[] key, byte[] value);
  }
}
