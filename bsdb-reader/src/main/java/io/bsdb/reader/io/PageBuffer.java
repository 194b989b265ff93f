package io.bsdb.reader.io;

import io.bsdb.format.SnapshotFormat;
import io.bsdb.format.block.Block;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A direct buffer aligned to a page, as direct I/O wants it. Used by one thread at a time; for
 * short uses borrowed from a {@link Pool}.
 */
public final class PageBuffer extends Block {
  private final @Nullable Pool pool;
  private int base;
  private ByteBuffer buffer = allocate(SnapshotFormat.PAGE);

  /** Makes a buffer that no pool has lent. */
  public PageBuffer() {
    this(null);
  }

  private PageBuffer(@Nullable Pool pool) {
    this.pool = pool;
  }

  private static ByteBuffer allocate(int length) {
    return ByteBuffer.allocateDirect(length + SnapshotFormat.PAGE)
        .alignedSlice(SnapshotFormat.PAGE)
        .order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the buffer, of at least {@code length} bytes, cleared. What it held may be lost. */
  public ByteBuffer ofLength(int length) {
    if (buffer.capacity() < length) {
      buffer = allocate((length + SnapshotFormat.PAGE - 1) & -SnapshotFormat.PAGE);
    }
    return buffer.clear();
  }

  /** Returns the buffer as it was last filled. */
  public ByteBuffer buffer() {
    return buffer;
  }

  @Override
  public ByteBuffer bytes() {
    return buffer;
  }

  @Override
  public int base(int number) {
    return base;
  }

  /** Sets where the block starts after the page that was read first. */
  public void startsAt(int lead) {
    base = lead;
  }

  /** Gives the buffer back to the pool that lent it. */
  @Override
  public void release() {
    if (pool != null) {
      pool.give(this);
    }
  }

  /** Buffers for many threads: each thread tends to get back the one that it used before. */
  public static final class Pool {
    private static final int SLOTS = 256;
    private static final int LONGEST_KEPT = 1 << 20;

    private final AtomicReferenceArray<@Nullable PageBuffer> idle =
        new AtomicReferenceArray<>(SLOTS);

    private static int slot() {
      return (int) ((Thread.currentThread().getId() * 0x9E3779B97F4A7C15L) >>> 56);
    }

    public PageBuffer take() {
      PageBuffer buffer = idle.getAndSet(slot(), null);
      return buffer != null ? buffer : new PageBuffer(this);
    }

    public void give(PageBuffer buffer) {
      if (buffer.buffer.capacity() <= LONGEST_KEPT) {
        idle.set(slot(), buffer);
      }
    }
  }
}
