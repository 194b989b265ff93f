package io.bsdb.kstreams;

import io.bsdb.format.LentBytes;
import io.bsdb.reader.SnapshotReader;
import io.bsdb.table.manifest.Manifest;
import org.jspecify.annotations.Nullable;

/** Format of a table's keys and values. Safe for many threads. */
interface TableFormat<K, V> {
  /** Checks that a version can be served, before it is opened. */
  void accept(Manifest manifest, Match match) throws SchemaMismatchException;

  /** Called when an accepted version is in service. Later ones are compared with the first. */
  void serve(Manifest manifest);

  /** Returns a reader of an accepted version that decodes what this format reads of values. */
  default SnapshotReader selecting(SnapshotReader reader) {
    return reader;
  }

  /** Returns the format of one accepted version, whose schema may differ from another's. */
  Codec<K, V> of(Manifest manifest, Match match);

  /** The format of one version. Used by one thread at a time. */
  interface Codec<K, V> {
    /** Returns the key; null if no table can hold it, because it is empty or too long. */
    byte @Nullable [] encode(K key);

    /**
     * Returns the key that is looked up, for a record with its time, if that is what the key lacks.
     *
     * @param timestamp of the record, in milliseconds since 1970; {@link VersionHold#NO_TIME} for
     *     none
     */
    default byte @Nullable [] encode(K key, long timestamp) {
      return encode(key);
    }

    /** Returns the value; null if it stands for absence. */
    @Nullable V decode(byte[] key, byte[] value);

    /** Returns the value, of bytes that are lent. */
    default @Nullable V decode(byte[] key, LentBytes bytes, int offset, int length) {
      return decode(key, bytes.copy(offset, length));
    }
  }
}
