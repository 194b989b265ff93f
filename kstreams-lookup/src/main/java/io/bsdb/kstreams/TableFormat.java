package io.bsdb.kstreams;

import io.bsdb.table.Manifest;
import org.jspecify.annotations.Nullable;

/** How a table's keys and values are written. Safe for many threads. */
interface TableFormat<K, V> {
  /** Whether a version can be served, asked before it is opened. */
  void accept(Manifest manifest) throws SchemaMismatchException;

  /** An accepted version is in service. The first one is what later ones are compared with. */
  void serve(Manifest manifest);

  /** The format of one accepted version, whose schema may differ from another's. */
  Codec<K, V> of(Manifest manifest);

  /** The format of one version. Used by one thread at a time. */
  interface Codec<K, V> {
    /** The key; null if no table can hold it, because it is empty or too long. */
    byte @Nullable [] encode(K key);

    /** The value; null if it stands for absence. */
    @Nullable V decode(byte[] key, byte[] value);
  }
}
