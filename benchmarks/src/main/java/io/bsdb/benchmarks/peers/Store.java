package io.bsdb.benchmarks.peers;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A store that is open for lookups by many threads. */
public interface Store extends Closeable {
  /** Returns the value, copied into a new array, or null: absent. */
  byte @Nullable [] get(byte[] key) throws IOException;

  /**
   * Returns the values of many keys in their order; one by one where the store has nothing better.
   */
  default List<byte @Nullable []> getAll(List<byte[]> keys) throws IOException {
    List<byte @Nullable []> values = new ArrayList<>(keys.size());
    for (byte[] key : keys) {
      values.add(get(key));
    }
    return values;
  }

  @Override
  void close() throws IOException;
}
