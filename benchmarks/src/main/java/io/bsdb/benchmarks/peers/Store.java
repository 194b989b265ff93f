package io.bsdb.benchmarks.peers;

import io.bsdb.benchmarks.harness.RecordFile.Receiver;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An open store. Lookups and puts are for many threads, {@code floor} and {@code seek} for one; not
 * every store has all of them.
 */
public interface Store extends Closeable {
  /** Returns the value, copied into a new array, or null: absent. */
  byte @Nullable [] get(byte[] key) throws Exception;

  /**
   * Returns the values of many keys in their order; one by one where the store has nothing better.
   */
  default List<byte @Nullable []> getAll(List<byte[]> keys) throws Exception {
    List<byte @Nullable []> values = new ArrayList<>(keys.size());
    for (byte[] key : keys) {
      values.add(get(key));
    }
    return values;
  }

  default void put(byte[] key, byte[] value) throws Exception {
    throw new UnsupportedOperationException();
  }

  /** Gives the record with the greatest key that is not above a key, if there is one. */
  default void floor(byte[] key, Receiver receiver) throws Exception {
    throw new UnsupportedOperationException();
  }

  /** Gives so many records from a key on. */
  default void seek(byte[] key, int count, Receiver receiver) throws Exception {
    throw new UnsupportedOperationException();
  }

  @Override
  default void close() throws IOException {}
}
