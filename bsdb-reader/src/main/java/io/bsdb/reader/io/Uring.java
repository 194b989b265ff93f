package io.bsdb.reader.io;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import java.io.Closeable;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * One io_uring ring, through JNA and liburing (soname 2). Used by one thread, but for {@link
 * #wake}.
 *
 * <p>liburing's inline functions are not in the library, so submission entries are filled and the
 * completion queue is read here, by the layout of {@code struct io_uring} that soname 2 fixes on
 * 64-bit Linux.
 */
public final class Uring implements Closeable {
  private static final int STRUCT_BYTES = 512;
  private static final int SQ_SQES = 56;
  private static final int CQ = 104;
  private static final int CQ_HEAD = CQ;
  private static final int CQ_TAIL = CQ + 8;
  private static final int CQ_MASK = CQ + 16;
  private static final int CQ_CQES = CQ + 48;
  private static final int SQE_BYTES = 64;
  private static final int CQE_BYTES = 16;
  private static final int OP_READ_FIXED = 4;
  private static final int OP_READ = 22;
  private static final int FLAG_FIXED_FILE = 1;
  private static final long WAKE_UP = -1;
  private static final int EPERM = 1;
  private static final int EINTR = 4;
  private static final int EAGAIN = 11;
  private static final int ENOMEM = 12;
  private static final int EACCES = 13;
  private static final int EBUSY = 16;
  private static final int ENFILE = 23;
  private static final int EMFILE = 24;
  private static final int ENOSYS = 38;
  private static final int RLIMIT_NOFILE = 7;
  private static final int EFD_CLOEXEC = 0x80000;
  private static final int O_CLOEXEC = 0x80000;
  private static final VarHandle INTS =
      MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

  private final Memory ring = new Memory(STRUCT_BYTES);
  private final Memory eventValue = new Memory(8);
  private final Memory one = new Memory(8);
  private final int eventFd;
  private final ByteBuffer sqes;
  private final long sqesAddress;
  private final ByteBuffer cqHead;
  private final ByteBuffer cqTail;
  private final ByteBuffer cqes;
  private final int cqMask;
  private int[] files = new int[0];
  private boolean closed;

  private static final class LibUring {
    static {
      Native.register(NativeLibrary.getInstance("liburing.so.2"));
    }

    private LibUring() {}

    static native int io_uring_queue_init(int entries, Pointer ring, int flags);

    /** Returns a pointer, or 0; as a number it takes no memory, without which an entry is lost. */
    static native long io_uring_get_sqe(Pointer ring);

    static native int io_uring_submit(Pointer ring);

    static native int io_uring_submit_and_wait(Pointer ring, int count);

    static native int io_uring_register_buffers(Pointer ring, Pointer vectors, int count);

    static native int io_uring_register_files(Pointer ring, Pointer files, int count);

    static native void io_uring_queue_exit(Pointer ring);
  }

  private static final class LibC {
    static {
      Native.register("c");
    }

    private LibC() {}

    static native int eventfd(int initial, int flags);

    static native long write(int fd, Pointer bytes, long count);

    static native int open(String path, int flags, int mode);

    static native int close(int fd);

    static native int getrlimit(int resource, Pointer limit);
  }

  /** Receives completed reads. */
  public interface Completions {
    /**
     * Called when a read is complete.
     *
     * @param id of the read
     * @param result bytes read, or a negative errno
     */
    void completed(long id, int result);
  }

  private Uring(int entries) throws IOException {
    ring.clear();
    one.setLong(0, 1);
    int result = LibUring.io_uring_queue_init(entries, ring, 0);
    if (result < 0) {
      throw failed("io_uring_queue_init", -result);
    }
    int capacity = 1 << (32 - Integer.numberOfLeadingZeros(entries - 1));
    Pointer sqesPointer = ring.getPointer(SQ_SQES);
    sqesAddress = Pointer.nativeValue(sqesPointer);
    sqes = view(sqesPointer, (long) capacity * SQE_BYTES);
    cqHead = view(ring.getPointer(CQ_HEAD), 4);
    cqTail = view(ring.getPointer(CQ_TAIL), 4);
    cqMask = ring.getPointer(CQ_MASK).getInt(0);
    cqes = view(ring.getPointer(CQ_CQES), (cqMask + 1L) * CQE_BYTES);
    eventFd = LibC.eventfd(0, EFD_CLOEXEC);
    if (eventFd < 0) {
      int errno = Native.getLastError();
      LibUring.io_uring_queue_exit(ring);
      throw failed("eventfd", errno);
    }
    armWakeUp();
  }

  private static IOException failed(String function, int errno) {
    String fix =
        switch (errno) {
          case EPERM, EACCES ->
              "allow io_uring in /proc/sys/kernel/io_uring_disabled and in the container's seccomp profile";
          case ENOSYS -> "a kernel of 5.6 or newer has it, unless a seccomp profile hides it";
          case ENOMEM -> "raise the limit on locked memory (ulimit -l), or use a lower queue depth";
          case EMFILE, ENFILE -> moreFiles();
          default -> "see the errors of " + function + "(3)";
        };
    return new IOException("%s failed with errno %d; %s".formatted(function, errno, fix));
  }

  private static String moreFiles() {
    Memory limit = new Memory(16);
    String now = LibC.getrlimit(RLIMIT_NOFILE, limit) < 0 ? "unknown" : "" + limit.getLong(0);
    return FileFailure.MORE_FILES + now;
  }

  private static ByteBuffer view(Pointer pointer, long length) {
    return pointer.getByteBuffer(0, length).order(ByteOrder.nativeOrder());
  }

  /**
   * Sets up a ring.
   *
   * @param depth reads in flight at once
   * @throws IOException if it cannot be had here; the message has the reason
   */
  public static Uring open(int depth) throws IOException {
    if (!Platform.isLinux() || !Platform.is64Bit()) {
      throw new IOException("io_uring needs 64-bit Linux");
    }
    try {
      return new Uring(depth + 1);
    } catch (LinkageError e) {
      throw new IOException(
          "liburing.so.2 does not load (Debian and Ubuntu: apt-get install liburing2): "
              + String.valueOf(e.getMessage()).replace('\n', ' '),
          e);
    }
  }

  /**
   * Opens files for direct reads and registers them; reads name them by their place in the array.
   */
  public void registerFiles(Path[] paths) throws IOException {
    int direct = Platform.isARM() ? 0x10000 : 0x4000;
    files = new int[paths.length];
    Arrays.fill(files, -1);
    Memory array = new Memory(4L * paths.length);
    for (int i = 0; i < paths.length; i++) {
      files[i] = LibC.open(paths[i].toString(), direct | O_CLOEXEC, 0);
      if (files[i] < 0) {
        files[i] = LibC.open(paths[i].toString(), O_CLOEXEC, 0);
      }
      if (files[i] < 0) {
        int errno = Native.getLastError();
        String fix = errno == EMFILE || errno == ENFILE ? "; " + moreFiles() : "";
        throw new IOException(
            "open failed with errno %d: file=%s%s".formatted(errno, paths[i], fix));
      }
      array.setInt(4L * i, files[i]);
    }
    int result = LibUring.io_uring_register_files(ring, array, paths.length);
    if (result < 0) {
      throw failed("io_uring_register_files", -result);
    }
  }

  /**
   * Registers one buffer for {@link #readFixed}, which locks its memory.
   *
   * @return 0, or the errno, for example 12 (ENOMEM) if the limit on locked memory is too low
   */
  public int registerBuffer(ByteBuffer buffer) {
    Memory vector = new Memory(16);
    vector.setPointer(0, Native.getDirectBufferPointer(buffer));
    vector.setLong(8, buffer.capacity());
    return -LibUring.io_uring_register_buffers(ring, vector, 1);
  }

  /** Returns the address of a direct buffer, for the read methods. */
  public static long address(ByteBuffer buffer) {
    return Pointer.nativeValue(Native.getDirectBufferPointer(buffer));
  }

  /** Prepares a read into the registered buffer. */
  public void readFixed(int file, long offset, long address, int length, long id) {
    prepare(OP_READ_FIXED, FLAG_FIXED_FILE, file, offset, address, length, id);
  }

  /** Prepares a read into any memory. */
  public void read(int file, long offset, long address, int length, long id) {
    prepare(OP_READ, FLAG_FIXED_FILE, file, offset, address, length, id);
  }

  private void armWakeUp() {
    prepare(OP_READ, 0, eventFd, 0, Pointer.nativeValue(eventValue), 8, WAKE_UP);
  }

  private void prepare(
      int opcode, int flags, int file, long offset, long address, int length, long id) {
    long entry = LibUring.io_uring_get_sqe(ring);
    if (entry == 0) {
      throw new IllegalStateException("submission queue is full");
    }
    int base = (int) (entry - sqesAddress);
    sqes.putLong(base, opcode | (flags << 8) | ((long) file << 32));
    sqes.putLong(base + 8, offset);
    sqes.putLong(base + 16, address);
    sqes.putLong(base + 24, length);
    sqes.putLong(base + 32, id);
    sqes.putLong(base + 40, 0);
    sqes.putLong(base + 48, 0);
    sqes.putLong(base + 56, 0);
  }

  /** Submits what was prepared. What the kernel has no room for now, the next call submits. */
  public void submit() throws IOException {
    check("io_uring_submit", LibUring.io_uring_submit(ring));
  }

  /** Submits what was prepared and waits until a read completes or {@link #wake} is called. */
  public void submitAndWait() throws IOException {
    check("io_uring_submit_and_wait", LibUring.io_uring_submit_and_wait(ring, 1));
  }

  private static void check(String function, int result) throws IOException {
    if (result == -EAGAIN || result == -EBUSY) {
      LockSupport.parkNanos(100_000); // short of memory, or of room for completions
    } else if (result < 0 && result != -EINTR) {
      throw new IOException("%s failed with errno %d".formatted(function, -result));
    }
  }

  /** Passes on all completions that are there. */
  public void drain(Completions completions) {
    int head = (int) INTS.get(cqHead, 0);
    int tail = (int) INTS.getAcquire(cqTail, 0);
    while (head != tail) {
      int entry = (head & cqMask) * CQE_BYTES;
      long id = cqes.getLong(entry);
      int result = cqes.getInt(entry + 8);
      INTS.setRelease(cqHead, 0, ++head);
      if (id == WAKE_UP) {
        armWakeUp();
      } else {
        completions.completed(id, result);
      }
      tail = (int) INTS.getAcquire(cqTail, 0);
    }
  }

  /** Makes {@link #submitAndWait} return. From any thread; does nothing after {@link #close}. */
  public synchronized void wake() {
    if (!closed && LibC.write(eventFd, one, 8) != 8) {
      throw new IllegalStateException(
          "write to eventfd failed with errno " + Native.getLastError());
    }
  }

  /** Gives the ring and the files back. Nothing may be in flight. */
  @Override
  public synchronized void close() {
    if (closed) {
      return; // the descriptors may be somebody else's by now
    }
    closed = true;
    LibUring.io_uring_queue_exit(ring);
    for (int file : files) {
      if (file >= 0) {
        LibC.close(file);
      }
    }
    LibC.close(eventFd);
  }
}
