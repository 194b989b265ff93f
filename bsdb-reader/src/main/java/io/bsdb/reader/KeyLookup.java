package io.bsdb.reader;

import io.bsdb.format.ValueReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Looks keys up. Safe for many threads.
 *
 * <p>An answer is made of the value that the writer was given or, for a key it was not given, null.
 * If the answer is not known, because bytes are damaged or cannot be read, there is an {@link
 * IOException}. Approximate snapshots are the exception: they answer an absent key with some other
 * record's value with probability 2^−(signature bits). In a table with a history, keys of ended
 * rows are absent.
 *
 * <p>Values are lent to a {@link ValueReader}, or copied. To lend one allocates nothing, but for
 * what the reader makes of it.
 */
public interface KeyLookup {
  /** Result of {@link #get(byte[], ByteBuffer)} for an absent key. */
  int NOT_FOUND = -1;

  /**
   * Reads the value of a key where it lies.
   *
   * @param key 1 to 65,535 bytes; read only during the call. A key of another length is absent.
   * @return what the reader returned, or null: absent
   * @throws io.bsdb.format.CorruptSnapshotException if the block that should hold the key is
   *     damaged
   * @throws ClosedReaderException after close
   */
  <T> @Nullable T get(byte[] key, ValueReader<T> reader) throws IOException;

  /**
   * Reads the values of many keys where they lie, faster than one by one: the cache misses, or the
   * reads, of different keys overlap. All come from one version.
   *
   * @param reader gets the index of each key that is present; in any order, in the calling thread
   * @return what the reader returned for each key, in their order; null: absent
   */
  <T> List<@Nullable T> getAll(List<byte[]> keys, ValueReader<T> reader) throws IOException;

  /**
   * Returns a copy of the value of a key; as {@link #get(byte[], ValueReader)}.
   *
   * @return a new array, or null: absent
   */
  default byte @Nullable [] get(byte[] key) throws IOException {
    return get(key, ValueReader.COPY);
  }

  /**
   * Copies the value of a key into the caller's buffer, from its position on, which moves to the
   * value's end.
   *
   * @return the value's length in bytes, or {@link #NOT_FOUND}
   * @throws java.nio.BufferOverflowException if the value is longer than what remains of the
   *     buffer, which is then unchanged
   */
  default int get(byte[] key, ByteBuffer target) throws IOException {
    int start = Objects.requireNonNull(target, "target").position();
    ByteBuffer filled =
        get(
            key,
            (index, bytes, offset, length) -> {
              bytes.copy(offset, length, target);
              return target;
            });
    return filled == null ? NOT_FOUND : target.position() - start;
  }

  /** Returns copies of the values of many keys; as {@link #getAll(List, ValueReader)}. */
  default List<byte @Nullable []> getAll(List<byte[]> keys) throws IOException {
    return getAll(keys, ValueReader.COPY);
  }
}
