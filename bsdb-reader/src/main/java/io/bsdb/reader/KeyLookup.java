package io.bsdb.reader;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks keys up. Safe for many threads.
 *
 * <p>An answer is either the value that the writer was given or, for a key it was not given, null.
 * If the answer is not known, because bytes are damaged or cannot be read, there is an {@link
 * IOException}. The exception are approximate snapshots: they answer an absent key with some other
 * record's value with probability 2^−(signature bits).
 */
public interface KeyLookup {
  /** Result of {@link #get(byte[], ByteBuffer)} for an absent key. */
  int NOT_FOUND = -1;

  /**
   * Returns the value of a key.
   *
   * @param key 1 to 65,535 bytes; read only during the call. A key of another length is absent.
   * @return a new array, or null: absent
   * @throws io.bsdb.format.CorruptSnapshotException if the block that should hold the key is
   *     damaged
   * @throws ClosedReaderException after close
   */
  byte @Nullable [] get(byte[] key) throws IOException;

  /**
   * Copies the value of a key into the caller's buffer, from its position on, and moves the
   * position behind it.
   *
   * @return the value's length in bytes, or {@link #NOT_FOUND}
   * @throws java.nio.BufferOverflowException if the value is longer than what remains of the
   *     buffer, which is then unchanged
   */
  int get(byte[] key, ByteBuffer target) throws IOException;

  /**
   * Returns the values of many keys, faster than one by one: the cache misses, or the reads, of
   * different keys overlap. All come from one version.
   *
   * @return one entry per key, in their order; null: absent
   */
  List<byte @Nullable []> getAll(List<byte[]> keys) throws IOException;
}
