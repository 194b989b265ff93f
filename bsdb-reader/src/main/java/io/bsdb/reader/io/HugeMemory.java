package io.bsdb.reader.io;

import com.sun.jna.Native;
import com.sun.jna.Platform;
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
 *
 * <p>On Linux it is mapped, so that the system gets it back when it is freed. malloc keeps much of
 * what is freed: its threshold for mappings grows to 32 MiB with what it has freed.
 */
public final class HugeMemory {
  private static final Logger LOG = LoggerFactory.getLogger(HugeMemory.class);
  private static final int HUGE_PAGE = 2 << 20;
  private static final int PROT_READ_WRITE = 1 | 2;
  private static final int MAP_PRIVATE_ANONYMOUS = 0x02 | 0x20;
  private static final long MAP_FAILED = -1;
  private static final int MADV_HUGEPAGE = 14;
  private static final int MADV_NOHUGEPAGE = 15;
  private static final AtomicLong OPEN = new AtomicLong();

  private final long allocation;

  /** Length of the mapping; 0 if it comes from malloc. */
  private final long mapped;

  private final Pointer start;

  private HugeMemory(long allocation, long mapped, Pointer start) {
    this.allocation = allocation;
    this.mapped = mapped;
    this.start = start;
    OPEN.incrementAndGet();
  }

  /** libc, where there is one. */
  private static final class LibC {
    static {
      Native.register("c");
    }

    private LibC() {}

    static native long mmap(
        Pointer address, long length, int protection, int flags, int file, long offset);

    static native int munmap(Pointer address, long length);

    static native int madvise(Pointer address, long length, int advice);
  }

  /** Allocates memory; its content is undefined. */
  public static HugeMemory allocate(long length) throws IOException {
    long mapped = length + HUGE_PAGE;
    long allocation = map(mapped);
    try {
      if (allocation == MAP_FAILED) {
        mapped = 0;
        allocation = Native.malloc(length + HUGE_PAGE);
      }
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
    return new HugeMemory(allocation, mapped, start);
  }

  private static long map(long length) {
    try {
      return Platform.isLinux()
          ? LibC.mmap(Pointer.NULL, length, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0)
          : MAP_FAILED;
    } catch (LinkageError e) {
      return MAP_FAILED;
    }
  }

  /** Returns the memory that so many bytes take, in whole pages. */
  public static long resident(long length) {
    // malloc, where it is used, writes how long it is into a page of its own, in front.
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
    if (mapped == 0) {
      Native.free(allocation);
    } else if (LibC.munmap(new Pointer(allocation), mapped) != 0) {
      LOG.warn("{} bytes stay mapped: munmap failed with errno {}", mapped, Native.getLastError());
    }
    OPEN.decrementAndGet();
  }
}
