package io.bsdb.reader.block;

import io.bsdb.format.block.Block;
import io.bsdb.format.io.StackRoom;
import io.bsdb.reader.io.DirectFile;
import io.bsdb.reader.io.PageBuffer;
import io.bsdb.reader.metrics.LookupCounters;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Blocks read from disk past the page cache, one read per block: in the calling thread, or, for
 * requests, through a queue that begins with the first.
 */
public final class DiskBlocks implements BlockSource {
  /** Queue that serves requests. */
  public enum Queue {
    /** A pool of threads, each waiting for one read at a time. */
    POOL,
    /** An io_uring ring; where none is available, a pool. */
    RING
  }

  private final Queue kind;
  private final String description;
  private final int depth;
  private final List<BlockFile> files;
  private final LookupCounters counters;
  private final Supplier<? extends RuntimeException> closedException;
  private final PageBuffer.Pool buffers = new PageBuffer.Pool();
  private volatile @Nullable BlockQueue queue;
  private boolean closed;

  /**
   * @param description of the access mode
   * @param depth maximum number of reads in flight
   * @param files all that will be asked for
   * @param closedException makes what requests fail with after {@link #close}
   */
  public DiskBlocks(
      Queue kind,
      String description,
      int depth,
      List<BlockFile> files,
      LookupCounters counters,
      Supplier<? extends RuntimeException> closedException) {
    this.kind = kind;
    this.description = description;
    this.depth = depth;
    this.files = List.copyOf(files);
    this.counters = counters;
    this.closedException = closedException;
  }

  /** Returns the access mode's name. */
  String accessName() {
    return description;
  }

  int depth() {
    return depth;
  }

  List<BlockFile> files() {
    return files;
  }

  LookupCounters counters() {
    return counters;
  }

  RuntimeException closedException() {
    return closedException.get();
  }

  @Override
  public Block fetch(BlockFile file, int number) throws IOException {
    PageBuffer buffer = buffers.take();
    try {
      long start = System.nanoTime();
      long offset = file.offset(number);
      int length = file.length(number);
      int base = file.disk().read(offset, length, buffer);
      counters.read(DirectFile.span(offset, length), System.nanoTime() - start);
      file.verify(buffer.buffer(), base, number);
      buffer.startsAt(base);
    } catch (Throwable e) {
      buffer.release();
      throw e;
    }
    return buffer;
  }

  @Override
  public void fetch(BlockRequest request) {
    BlockQueue begun = queue;
    (begun == null ? begin() : begun).add(request);
  }

  private synchronized BlockQueue begin() {
    BlockQueue begun = queue;
    if (begun == null) {
      if (closed) {
        throw closedException();
      }
      StackRoom.requireForPublication(); // initializes classes, as a publication does
      begun =
          kind == Queue.RING ? RingQueue.openOrFallBack(this) : new PoolQueue(this, description);
      queue = begun;
    }
    return begun;
  }

  @Override
  public Batching batching() {
    return kind == Queue.RING ? Batching.TOGETHER : Batching.IN_TURN;
  }

  @Override
  public long inFlight() {
    BlockQueue begun = queue;
    return begun == null ? 0 : begun.inFlight();
  }

  @Override
  public String description() {
    BlockQueue begun = queue;
    return begun == null ? description : begun.description();
  }

  @Override
  public void close() {
    BlockQueue begun;
    synchronized (this) {
      closed = true;
      begun = queue;
    }
    if (begun != null) {
      begun.close();
    }
  }
}
