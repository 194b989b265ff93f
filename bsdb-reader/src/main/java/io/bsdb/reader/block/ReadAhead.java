package io.bsdb.reader.block;

import io.bsdb.format.block.Block;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.io.PageBuffer;
import io.bsdb.reader.metrics.LookupCounters;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Fetches blocks from disk for one walk: the first through another source, and those that follow it
 * in either direction with large reads, past any cache. Used by one thread; a block is lent until
 * the next is fetched.
 */
public final class ReadAhead implements BlockFetch {
  private static final int FIRST_LENGTH = 16 << 10;
  private static final int MAX_LENGTH = 128 << 10;

  private final BlockSource source;
  private final LookupCounters counters;
  private final PageBuffer buffer = new PageBuffer();
  private final Window window = new Window();
  private @Nullable BlockFile file;
  private int first;
  private int end;
  private long start;
  private int lead;
  private boolean verified;
  private int length = FIRST_LENGTH;

  public ReadAhead(BlockSource source, LookupCounters counters) {
    this.source = source;
    this.counters = counters;
  }

  /** The blocks that were read last. */
  private final class Window extends Block {
    @Override
    public ByteBuffer bytes() {
      return buffer.buffer();
    }

    @Override
    public int base(int number) {
      BlockFile of = file;
      return of == null ? 0 : lead + (int) (of.offset(number) - start);
    }
  }

  @Override
  public Block fetch(BlockFile wanted, int number) throws IOException {
    if (wanted != file || number < first - 1 || number > end) {
      keep(wanted, number);
    } else if (number == end || number < first) {
      read(wanted, number, number == end);
    }
    if (!verified) {
      wanted.verify(buffer.buffer(), window.base(number), number);
    }
    return window;
  }

  /** Copies one block from the source. */
  private void keep(BlockFile wanted, int number) throws IOException {
    Block block = source.fetch(wanted, number);
    try {
      int base = block.base(number);
      int bytes = Block.contentLength(block.bytes(), base);
      file = null;
      buffer.ofLength(bytes).put(0, block.bytes(), base, bytes);
      holds(wanted, number, number + 1, 0);
      verified = true;
    } finally {
      block.release();
    }
  }

  private void read(BlockFile wanted, int number, boolean forward) throws IOException {
    int from = number;
    int to = number + 1;
    if (forward) {
      while (to < wanted.index().blockCount()
          && wanted.offset(to + 1) - wanted.offset(from) <= length) {
        to++;
      }
    } else {
      while (from > 0 && wanted.offset(to) - wanted.offset(from - 1) <= length) {
        from--;
      }
    }
    length = Math.min(MAX_LENGTH, 2 * length);
    long offset = wanted.offset(from);
    int bytes = 0;
    for (int block = from; block < to; block++) {
      bytes += wanted.length(block);
    }
    file = null; // the buffer is not what it was, whatever happens
    long begun = System.nanoTime();
    int at = wanted.disk().read(offset, bytes, buffer);
    counters.read(DirectFile.span(offset, bytes), System.nanoTime() - begun);
    holds(wanted, from, to, at);
    verified = false;
  }

  private void holds(BlockFile of, int from, int to, int at) {
    file = of;
    first = from;
    end = to;
    start = of.offset(from);
    lead = at;
  }
}
