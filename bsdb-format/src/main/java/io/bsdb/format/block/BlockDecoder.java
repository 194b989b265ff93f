package io.bsdb.format.block;

import io.bsdb.format.symbols.FieldSelection;
import java.io.Closeable;
import java.nio.ByteBuffer;

/**
 * A block whose records are encoded, together with the memory that they are decoded to. Used by one
 * thread at a time; borrowed from a {@link DecoderPool}.
 */
abstract class BlockDecoder extends Block implements Closeable {
  /** A decoder with more memory is not kept for other calls. */
  static final int MAX_KEPT = 1 << 20;

  /** Stands for no block. */
  private static final Block NONE =
      new Block() {
        private final ByteBuffer nothing = ByteBuffer.allocate(0);

        @Override
        public ByteBuffer bytes() {
          return nothing;
        }

        @Override
        public int base(int number) {
          return 0;
        }
      };

  private final DecoderPool pool;
  private final int slot;

  /** The block that it decodes, or, while it is not lent, decoded last, if that is mapped. */
  private Block encoded = NONE;

  BlockDecoder(DecoderPool pool, int slot) {
    this.pool = pool;
    this.slot = slot;
  }

  /**
   * Takes over a block.
   *
   * @param selection of fields that will be read
   */
  void begin(Block block, FieldSelection selection) {
    if (encoded != block) {
      encoded = block;
    }
  }

  /** Returns whether it has more memory than is to be kept. */
  abstract boolean isLarge();

  @Override
  public final ByteBuffer bytes() {
    return encoded.bytes();
  }

  @Override
  public final int base(int number) {
    return encoded.base(number);
  }

  /** Gives back the block that it decodes, and itself to its pool. */
  @Override
  public final void release() {
    Block block = encoded;
    if (!block.isMapped()) {
      encoded = NONE; // one that is evicted from a cache must not stay in memory
    }
    block.release();
    pool.give(this, slot);
  }

  @Override
  public void close() {}
}
