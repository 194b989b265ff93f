package io.bsdb.format.block;

import io.bsdb.format.symbols.FieldSelection;
import java.io.Closeable;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Decoders of one codec and what it needs, such as a dictionary, for many threads: each thread
 * tends to get back the one that it used before.
 *
 * <p>A decoder that is lent stays in its slot, which is marked: to take it out and put it back
 * would be two writes of references, each with a barrier of the garbage collector.
 */
public abstract class DecoderPool implements Closeable {
  /** Slot of a decoder that is lent while its thread's slot is taken. */
  static final int NO_SLOT = -1;

  private static final int SLOTS = 64;
  private static final int FREE = 0;
  private static final int LENT = 1;

  private final AtomicReferenceArray<BlockDecoder> decoders = new AtomicReferenceArray<>(SLOTS);
  private final AtomicIntegerArray marks = new AtomicIntegerArray(SLOTS);

  /**
   * Makes a decoder.
   *
   * @param slot where it belongs, or {@link #NO_SLOT}
   */
  abstract BlockDecoder create(int slot);

  private static int slot() {
    return (int) ((Thread.currentThread().getId() * 0x9E3779B97F4A7C15L) >>> 58);
  }

  /**
   * Lends a decoder of a block's records; to release it releases the block, too.
   *
   * @param selection of fields that will be read
   */
  public final Block lend(Block block, FieldSelection selection) {
    int slot = slot();
    BlockDecoder decoder;
    if (marks.compareAndSet(slot, FREE, LENT)) {
      decoder = decoders.getPlain(slot);
      if (decoder == null) {
        decoder = create(slot);
        decoders.setPlain(slot, decoder);
      }
    } else {
      decoder = create(NO_SLOT);
    }
    decoder.begin(block, selection);
    return decoder;
  }

  /** Takes a decoder back; closes one that has grown too large, or for which there is no room. */
  final void give(BlockDecoder decoder, int slot) {
    if (slot == NO_SLOT) {
      decoder.close();
      return;
    }
    if (decoder.isLarge()) {
      decoders.setPlain(slot, null);
      decoder.close();
    }
    marks.setRelease(slot, FREE);
  }

  /** Frees all; none may be in use. */
  @Override
  public void close() {
    for (int i = 0; i < SLOTS; i++) {
      BlockDecoder decoder = decoders.getAndSet(i, null);
      if (decoder != null) {
        decoder.close();
      }
    }
  }
}
