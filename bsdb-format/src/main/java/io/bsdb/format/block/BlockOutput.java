package io.bsdb.format.block;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Destination of a {@link BlockWriter}'s blocks. Used by one thread. */
public interface BlockOutput {
  /**
   * Makes room for {@code length} contiguous bytes.
   *
   * @return a little-endian buffer with at least so many bytes from its position; the caller writes
   *     them all and moves the position after them before its next call
   */
  ByteBuffer reserve(int length) throws IOException;

  /** Returns the bytes reserved so far: the offset of the next block within the blocks section. */
  long length();
}
