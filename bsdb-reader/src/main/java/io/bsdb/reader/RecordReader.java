package io.bsdb.reader;

import io.bsdb.format.LentBytes;
import io.bsdb.format.ValueReader;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a record that was found by its order, its value where it lies; the rules are those of
 * {@link ValueReader}.
 *
 * @param <T> what it makes of a record
 */
@FunctionalInterface
public interface RecordReader<T> {
  /** Copies records. */
  RecordReader<KeyValue> COPY =
      (key, bytes, offset, length) -> new KeyValue(key, bytes.copy(offset, length));

  /**
   * Reads a record.
   *
   * @param key in an array of its own
   * @param bytes that hold the value at {@code [offset, offset + length)}, lent until the return
   * @return what the lookup answers; null stands for no record
   */
  @Nullable T read(byte[] key, LentBytes bytes, int offset, int length) throws IOException;

  /** Returns the reader of values with this key. */
  default ValueReader<T> of(byte[] key) {
    return (index, bytes, offset, length) -> read(key, bytes, offset, length);
  }
}
