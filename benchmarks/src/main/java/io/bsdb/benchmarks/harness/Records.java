package io.bsdb.benchmarks.harness;

import io.bsdb.row.Schema;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Records that stores are built from. */
public interface Records {
  /** Takes a record. The arrays are the receiver's own. */
  @FunctionalInterface
  interface Receiver {
    void accept(byte[] key, byte[] value) throws IOException;
  }

  long count();

  /** Returns the schema of rows; null if values are plain bytes. */
  default @Nullable Schema schema() {
    return null;
  }

  /** Reads all records, keys in random order. */
  void forEach(Receiver receiver) throws IOException;

  /** Reads all records in the order of their keys. */
  void forEachSorted(Receiver receiver) throws IOException;
}
