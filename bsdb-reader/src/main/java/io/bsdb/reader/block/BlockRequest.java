package io.bsdb.reader.block;

import io.bsdb.format.block.Block;
import io.bsdb.format.symbols.FieldSelection;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A pending fetch of a block; exactly one callback is invoked, once. */
public abstract class BlockRequest {
  final BlockFile file;
  final int number;

  /** When the request was made, in nanoseconds of {@link System#nanoTime}. */
  final long created = System.nanoTime();

  /** True if the request counts against the room in a queue. */
  boolean holdsRoom;

  /** The next one that waits in the same queue. */
  @Nullable BlockRequest next;

  private final FieldSelection selection;

  protected BlockRequest(BlockFile file, int number) {
    this(file, number, FieldSelection.ALL);
  }

  /**
   * @param selection of fields that will be read
   */
  protected BlockRequest(BlockFile file, int number, FieldSelection selection) {
    this.file = file;
    this.selection = selection;
    this.number = number;
  }

  /**
   * Called with the verified block.
   *
   * @param block lent until the return
   * @param base where it starts in its buffer
   */
  protected abstract void fetched(Block block, int base) throws IOException;

  /** Called if the block could not be fetched, or if {@link #fetched} threw. */
  protected abstract void failed(Throwable cause);

  /** Calls back with a block, and releases it. */
  final void complete(Block raw) {
    Block block = raw;
    try {
      block = raw.readable(file.decoders(), selection);
      fetched(block, block.base(number));
    } catch (Throwable e) {
      failed(e);
    } finally {
      block.release();
    }
  }

  /** Fetches from a source in the calling thread and calls back. */
  final void completeFrom(BlockSource source) {
    Block block;
    try {
      block = source.fetch(file, number);
    } catch (Throwable e) {
      failed(e);
      return;
    }
    complete(block);
  }
}
