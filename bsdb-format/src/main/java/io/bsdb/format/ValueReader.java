package io.bsdb.format;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a value where it lies, and returns what the caller of a lookup wants of it.
 *
 * <p>What it is lent is valid until it returns, even if another version of the table takes the
 * place of this one or the table is closed meanwhile: those wait for it, so it should be short.
 * What it throws ends the lookup and reaches the caller as it is. In the calling thread it may use
 * the table, or others; if a future is being completed, it may not, and it must not block.
 *
 * @param <T> what it makes of a value
 */
@FunctionalInterface
public interface ValueReader<T> {
  /** Copies values into arrays of their own. */
  ValueReader<byte[]> COPY = (key, bytes, offset, length) -> bytes.copy(offset, length);

  /**
   * Reads a value.
   *
   * @param key index of its key in the batch; 0 in the lookup of a single key
   * @param bytes that hold the value at {@code [offset, offset + length)}, lent until the return
   * @return what the lookup answers; null stands for an absent key
   */
  @Nullable T read(int key, LentBytes bytes, int offset, int length) throws IOException;
}
