package io.bsdb.benchmarks.harness;

import io.bsdb.row.Schema;
import org.jspecify.annotations.Nullable;

/** Records that stores are built from. */
public interface Records {
  /** Takes a record. The arrays are the receiver's own. */
  @FunctionalInterface
  interface Receiver {
    void accept(byte[] key, byte[] value) throws Exception;
  }

  long count();

  /** Returns the schema of rows; null if values are plain bytes. */
  @Nullable Schema schema();

  /** Reads all records, keys in random order. */
  void forEach(Receiver receiver) throws Exception;

  /** Reads all records in the order of their keys. */
  void forEachSorted(Receiver receiver) throws Exception;
}
