package io.bsdb.reader.io;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.bsdb.format.SnapshotFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Off-heap memory of any size, aligned to huge pages and advised for them. Not bounded by the JVM's
 * limit on direct buffers.
 */
public final class HugeMemory {
  private static final Logger LOG = LoggerFactory.getLogger(HugeMemory.class);
  private static final int HUGE_PAGE = 2 << 20;
  private static final int MADV_HUGEPAGE = 14;
  private static final int MADV_NOHUGEPAGE = 15;
  private static final AtomicLong OPEN = new AtomicLong();

  private final long allocation;
  private final Pointer start;

  private HugeMemory(long allocation, Pointer start) {
    this.allocation = allocation;
    this.start = start;
    OPEN.incrementAndGet();
  }

  /** libc, where there is one. */
  private static final class LibC {
    static {
      Native.register("c");
    }

    private LibC() {}

    static native int madvise(Pointer address, long length, int advice);
  }

  /** Allocates memory; its content is undefined. */
  public static HugeMemory allocate(long length) throws IOException {
    long allocation;
    try {
      allocation = Native.malloc(length + HUGE_PAGE);
    } catch (LinkageError e) {
      throw new IOException(
          "memory outside of the heap needs JNA's native library, which does not load here; without"
              + " it, only mapped access to a table without changes works",
          e);
    }
    if (allocation == 0) {
      throw new IOException(
          "no memory for %d bytes outside of the heap; use mapped access, or fold changes with 'bsdb compact'"
              .formatted(length));
    }
    Pointer start = new Pointer((allocation + HUGE_PAGE - 1) & -HUGE_PAGE);
    try {
      if (LibC.madvise(start, length, MADV_HUGEPAGE) != 0) {
        LOG.debug(
            "huge pages are not available: madvise failed with errno {}", Native.getLastError());
      }
    } catch (LinkageError e) {
      LOG.debug("huge pages are not available: {}", e.toString());
    }
    return new HugeMemory(allocation, start);
  }

  /** Returns the memory that so many bytes take, in whole pages. */
  public static long resident(long length) {
    // malloc writes how long it is into a page of its own, in front.
    return ((length + SnapshotFormat.PAGE - 1) & -SnapshotFormat.PAGE) + SnapshotFormat.PAGE;
  }

  /**
   * Keeps huge pages, which come as a whole, out of a part that is not written: it takes addresses
   * only. Where the system cannot, nothing happens.
   */
  void leaveOut(long offset, long length) {
    long from = (offset + SnapshotFormat.PAGE - 1) & -SnapshotFormat.PAGE;
    long end = (offset + length) & -SnapshotFormat.PAGE;
    try {
      if (end > from && LibC.madvise(start.share(from), end - from, MADV_NOHUGEPAGE) != 0) {
        LOG.debug("huge pages stay: madvise failed with errno {}", Native.getLastError());
      }
    } catch (LinkageError e) {
      LOG.debug("huge pages stay: {}", e.toString());
    }
  }

  /**
   * Makes page faults in a mapped file read huge pages, and map them, where the file system caches
   * files so. Does nothing where that is not possible.
   */
  static void advise(ByteBuffer mapped) {
    try {
      if (LibC.madvise(Native.getDirectBufferPointer(mapped), mapped.capacity(), MADV_HUGEPAGE)
          != 0) {
        LOG.debug("no huge pages of files: madvise failed with errno {}", Native.getLastError());
      }
    } catch (LinkageError e) {
      LOG.debug("no huge pages of files: {}", e.toString());
    }
  }

  /** Returns a little-endian view of a part of it. Invalid after {@link #free}. */
  public ByteBuffer buffer(long offset, long length) {
    return start.getByteBuffer(offset, length).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns how many of these this process has, for leak checks. */
  public static long openCount() {
    return OPEN.get();
  }

  /** Gives it back. Once. */
  public void free() {
    Native.free(allocation);
    OPEN.decrementAndGet();
  }
}
